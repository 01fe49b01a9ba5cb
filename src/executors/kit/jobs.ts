import type { Job } from '../executor.ts';
import { frozen } from './without-ambient.ts';

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

/** Ordinary jobs, and some that try to break out of a command line. */
export const JOBS: readonly Job[] = [
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
  { ...plainJob, notesDirectory: '/somewhere/task 1/notes' },
  { ...plainJob, tools: ['Read', 'Bash(git log *)'], sandboxed: true },
  { ...plainJob, resume: 'session-1' },
  { ...plainJob, resume: 'session-1', fork: true },
].map(frozen);
