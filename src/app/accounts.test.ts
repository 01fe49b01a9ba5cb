import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, accountVariables } from './accounts.ts';

let accounts: string;
beforeAll(async () => {
  accounts = await mkdtemp(join(tmpdir(), 'fleet accounts '));
  await mkdir(join(accounts, 'claude'));
});
afterAll(() => rm(accounts, { recursive: true }));

const file = (name: string, text: string) => writeFile(join(accounts, 'claude', name), text);
const of = (account: string, env = {}) => accountVariables({ accounts }, { executor: 'claude', account }, env);

describe('an account in a file', () => {
  it('names variables, some of which come from the environment', async () => {
    await file('work.toml', '[env]\nA = "plain $NOT_WHOLE"\nB = "$KEY"\nC = "${KEY}"\nD = "~/place"\n');
    expect(of('work', { KEY: 'k1', HOME: '/the/home' })).toEqual({
      A: 'plain $NOT_WHOLE',
      B: 'k1',
      C: 'k1',
      D: '/the/home/place',
    });
    expect(of('default')).toEqual({});
    expect(() => of('work', { HOME: '/the/home' })).toThrow('Fleet was started without KEY');
  });

  it('is listed by its name, and nothing else is', async () => {
    await file('notes.txt', '');
    await file('default.toml', '[env]\n');
    expect(accountsOf({ accounts }, 'claude')).toEqual(['default', 'work']);
    expect(accountsOf({ accounts }, 'codex')).toEqual(['default']);
  });

  it.each([
    ['', 'env: '],
    ['[env]\nFLEET_HOME = "x"\n', 'not a variable that may be set here'],
    ['[env]\nA = 1\n', 'env.A'],
    ['[env]\nA = "x"\n[more]\n', 'more'],
    ['not toml', 'cannot be used'],
  ])('that says %j is refused with its place', async (text, why) => {
    await file('bad.toml', text);
    expect(() => of('bad')).toThrow(why);
    expect(() => of('bad')).toThrow('bad.toml');
  });

  it('that is not there is named', () => {
    expect(() => of('gone')).toThrow(/gone[.]toml cannot be used: there is no such file/);
  });
});
