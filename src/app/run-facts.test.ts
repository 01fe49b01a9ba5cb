import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../domain/limits.ts';
import type { RunId } from '../domain/values.ts';
import { redactor } from '../redact/redactor.ts';
import { factsOf } from './run-facts.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-facts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const redact = redactor(['a-secret-of-mine']);
const factsIn = (runId: string) => factsOf(folder, { redactorFor: async () => redact })(runId as RunId);

async function runWith(runId: string, files: Readonly<Record<string, string>>) {
  await mkdir(join(folder, runId));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, runId, name), text);
  return factsIn(runId);
}

const job = {
  id: 'r',
  command: 'agent',
  args: ['--token', 'a-secret-of-mine'],
  workDirectory: '/w',
  mode: 'oneway',
  env: ['A', 'PATH'],
};

describe('the facts of a run', () => {
  it('tell prompt, command line, names of variables and exit, and no secret', async () => {
    const facts = await runWith('run_1', {
      'prompt.txt': `use a-secret-of-mine ${'x'.repeat(10_000)}`,
      'job.json': JSON.stringify(job),
      exit: '137 9 -\n',
    });
    expect(facts).toMatchObject({
      directory: join(folder, 'run_1'),
      prompt: { bytes: 10_021, file: join(folder, 'run_1', 'prompt.txt') },
      launch: { command: 'agent', workDirectory: '/w', mode: 'oneway', env: ['A', 'PATH'] },
      exit: { code: 137, signal: 'SIGKILL' },
    });
    expect(facts.prompt?.text.length).toBe(LIMITS.shownPromptCharacters.value + 1);
    expect(facts.launch?.args).toHaveLength(2);
    expect(JSON.stringify(facts)).not.toContain('a-secret-of-mine');
  });

  it('leave out what is missing, torn, or not what it should be', async () => {
    const nothing = (runId: string) => ({ runId, directory: join(folder, runId) });
    expect(await factsIn('run_never')).toEqual(nothing('run_never'));
    expect(await runWith('run_2', { 'job.json': '{"command":', exit: 'zero' })).toEqual(nothing('run_2'));
    expect(await runWith('run_3', { 'job.json': '{"command":1}' })).toEqual(nothing('run_3'));
    // An agent can write there: what it links to is not shown.
    await mkdir(join(folder, 'run_4'));
    await writeFile(join(folder, 'private'), 'of somebody else');
    await symlink(join(folder, 'private'), join(folder, 'run_4', 'prompt.txt'));
    expect(await factsIn('run_4')).toEqual(nothing('run_4'));
  });
});
