import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plainTextSync } from './plain-text.ts';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fleet-plain-'));
  writeFileSync(at('text'), 'größer\n');
  writeFileSync(at('long'), 'x'.repeat(101));
  writeFileSync(at('empty'), '');
  symlinkSync(at('text'), at('link'));
  mkdirSync(at('directory'));
  execFileSync('mkfifo', [at('pipe')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['text', 'größer\n'],
  ['empty', ''],
  ['long', undefined],
  ['link', undefined],
  ['directory', undefined],
  ['pipe', undefined],
  ['missing', undefined],
])('reads %s as %j', (name, text) => {
  expect(plainTextSync(at(name), 100)).toBe(text);
});
