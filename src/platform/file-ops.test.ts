import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyFileOpsSync, type FileOp } from './file-ops.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-lay-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const steps = (text: string): FileOp[] => [
  { lay: 'directory', path: join(home, 'a', 'b') },
  { lay: 'once', path: join(home, 'a', 'first'), text },
  { lay: 'file', path: join(home, 'a', 'file'), text },
  { lay: 'whole', path: join(home, 'a', 'whole'), text },
  { lay: 'link', path: join(home, 'a', 'link'), target: `/to/${text}` },
];

const laid = () => ({
  names: readdirSync(join(home, 'a')).toSorted(),
  texts: ['first', 'file', 'whole'].map((name) => readFileSync(join(home, 'a', name), 'utf8')),
  link: readlinkSync(join(home, 'a', 'link')),
});

it('puts everything in its place, for its owner alone, and again without a trace of the first time', () => {
  const names = ['b', 'file', 'first', 'link', 'whole'];
  applyFileOpsSync(steps('one'));
  expect(laid()).toEqual({ names, texts: ['one', 'one', 'one'], link: '/to/one' });
  for (const name of ['first', 'file', 'whole']) expect(statSync(join(home, 'a', name)).mode & 0o777).toBe(0o600);
  applyFileOpsSync(steps('two'));
  expect(laid()).toEqual({ names, texts: ['one', 'two', 'two'], link: '/to/two' });
});

it('says what it could not make', () => {
  expect(() => applyFileOpsSync([{ lay: 'file', path: join(home, 'missing', 'file'), text: '' }])).toThrow('ENOENT');
});
