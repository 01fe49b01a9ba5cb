import { describe, expect, it } from 'vitest';
import { run } from '../fake-io.ts';

const complete = async (...words: string[]) =>
  (await run(['__complete', ...words])).out
    .split('\n')
    .map((line) => line.split('\t')[0])
    .filter(Boolean);

describe('completion', () => {
  it('knows nouns, verbs, flags and choices', async () => {
    expect(await complete('ta')).toEqual(['task', 'tasks']);
    expect(await complete('task', 'de')).toEqual(['delete']);
    expect(await complete('task', 'create', '--pro')).toEqual(['--prompt', '--prompt-file', '--project']);
    expect(await complete('task', 'list', '--state', 'ca')).toEqual(['canceled']);
    expect(await complete('help', 'project', 's')).toEqual(['show', 'set']);
    expect(await complete('task', 'create', '--no-')).toEqual(['--no-expects-changes', '--no-sandbox', '--no-push']);
    expect(await complete('nonsense', 'x')).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    expect((await run(['completion', shell])).out).toContain('fleet __complete');
  });

  it('names the shells it knows', async () => {
    expect(await run(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      err: 'fleet: completion: expected bash, zsh or fish, got "tcsh"\n',
    });
  });
});
