import { expect, it } from 'vitest';
import type { Executor, Job } from '../executor.ts';
import { frozen, purely, throughJson } from './purely.ts';

export const plainJob: Job = frozen({
  taskId: 'task_1',
  runId: 'run_1',
  prompt: 'make it so',
  promptFile: '/somewhere/run_1/prompt.md',
  resultFile: '/somewhere/run_1/result.json',
  runDirectory: '/somewhere/run_1',
  workDirectory: '/somewhere/workspace',
  extraArgs: [],
  fork: false,
});

const jobs: readonly Job[] = [
  plainJob,
  { ...plainJob, prompt: '' },
  { ...plainJob, prompt: '$(rm -rf ~) `id` "; echo\n\'' },
  { ...plainJob, prompt: '--version' },
  { ...plainJob, prompt: '{model} {prompt_file} {{prompt}}' },
  { ...plainJob, model: 'a model, with spaces' },
  { ...plainJob, effort: 'high', systemPrompt: 'be brief', extraArgs: ['--flag', 'a b'] },
  { ...plainJob, tools: ['Read', 'Grep', 'Bash(git diff *)'], maxTurns: 3, maxBudgetUsd: 0.5 },
  {
    ...plainJob,
    mcpConfig: '/somewhere/run_1/mcp.json',
    mcp: { command: 'fleet', args: ['mcp', '--run', 'a b'], env: { A: 'b "c"' } },
  },
  { ...plainJob, resume: 'session-1' },
  { ...plainJob, resume: 'session-1', fork: true },
];

const providerKey = /(?:_API_KEY|_TOKEN|_SECRET|_PASSWORD|_ACCESS_KEY(?:_ID)?|_CREDENTIALS)$/i;

export function launchConformance(executor: Executor): void {
  it('launches the same way each time, from the job alone, as plain values [EXEC-02]', () => {
    for (const job of jobs.map(frozen)) {
      const launch = purely(() => executor.launch(job));
      expect(purely(() => executor.launch(job))).toEqual(launch);
      expect(throughJson(launch)).toEqual(launch);
      expect(launch.command).not.toBe('');
      expect([launch.command, ...launch.args, ...Object.values(launch.env)].filter((text) => text.includes('\0'))).toEqual([]);
      expect(launch.files.filter(({ name }) => !/^[\w-][\w.-]*$/.test(name))).toEqual([]);
    }
  });

  it("hands over no provider's key [EXEC-02]", () => {
    const names = jobs.flatMap((job) => Object.keys(executor.launch(job).env));
    expect(names.filter((name) => providerKey.test(name))).toEqual([]);
  });

  it('goes on with a conversation only if it can', () => {
    const going = executor.launch({ ...plainJob, resume: 'session-1' });
    if (executor.can.resume)
      expect(JSON.stringify([going, executor.begin({ ...plainJob, resume: 'session-1' })])).toContain('session-1');
    else expect(going).toEqual(executor.launch(plainJob));
  });

  it('tells a copy of a conversation from the conversation itself, if it can go on with one', () => {
    const said = (job: Job) => JSON.stringify([executor.launch(job), executor.begin(job)]);
    const [going, copying] = [false, true].map((fork) => said({ ...plainJob, resume: 'session-1', fork }));
    if (executor.can.resume) expect(copying).not.toBe(going);
    else expect(copying).toBe(going);
    expect(said({ ...plainJob, fork: true })).toBe(said(plainJob));
  });

  it('opens a conversation only with an agent that reads', () => {
    for (const job of jobs) {
      if (executor.launch(job).mode === 'oneway') expect(executor.begin(job).send).toEqual([]);
    }
  });
}
