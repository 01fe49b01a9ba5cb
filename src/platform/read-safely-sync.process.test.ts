import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentPath } from './agent-path.ts';
import { beginningSync, isThereSync, lookSync, openSafelySync, textSafelySync } from './read-safely-sync.ts';

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
  expect(textSafelySync(agentPath(folder, name), 100)).toBe(text);
});

it('opens nothing behind a link on the way, and says how long only a regular file is [T13]', () => {
  mkdirSync(at('real'));
  writeFileSync(at('real/file'), 'hello');
  symlinkSync(at('real'), at('folder'));
  const buffer = Buffer.alloc(3);
  expect(beginningSync(agentPath(folder, 'real/file'), buffer)?.toString()).toBe('hel');
  expect(beginningSync(agentPath(folder, 'folder/file'), buffer)).toBeUndefined();
  expect(openSafelySync(agentPath(folder, 'folder/file'))).toBeUndefined();
  expect(openSafelySync(agentPath(folder, 'pipe'))).toBeUndefined();
  expect(lookSync(agentPath(folder, 'real/file'))?.size).toBe(5);
  for (const name of ['link', 'pipe', 'directory', 'missing']) expect(lookSync(agentPath(folder, name))).toBeUndefined();
  for (const name of ['link', 'pipe', 'directory', 'text']) expect(isThereSync(agentPath(folder, name))).toBe(true);
  for (const name of ['missing', 'text/below']) expect(isThereSync(agentPath(folder, name))).toBe(false);
});
