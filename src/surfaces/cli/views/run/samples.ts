import type { OutputOf } from '../../../../contract/call.ts';
import type { Instant, RunId } from '../../../../domain/values.ts';

type Samples = { readonly [Name in 'run.log' | 'task.log' | 'run.events' | 'run.facts']: OutputOf<Name> };

const log = (runId: RunId): OutputOf<'run.log'> => ({
  runId,
  items: [
    { at: 18, text: 'reading the tests' },
    { at: 42, text: 'all 12 of them are green' },
  ],
  next: 42,
  ended: false,
});

export const runSamples = (runId: RunId, ago: (seconds: number) => Instant): Samples => ({
  'run.log': log(runId),
  'task.log': log(runId),
  'run.events': {
    runId,
    items: [
      { at: 90, type: 'opened', session: 'a3f0c1' },
      { at: 240, type: 'thought', text: 'The clock is read in two places.' },
      { at: 800, type: 'said', text: 'The clock is read twice.\nI make it an argument, and run the tests.' },
      { at: 1_200, type: 'tool', id: 't1', name: 'Edit', detail: 'src/clock.ts' },
      { at: 1_200, type: 'context', tokens: 43_900, limit: 200_000 },
      { at: 1_460, type: 'tool-done', id: 't1', ok: true },
      { at: 1_900, type: 'tool', id: 't2', name: 'Bash', detail: 'npm test -- src/clock.test.ts' },
      { at: 3_400, type: 'tool-done', id: 't2', ok: false },
      { at: 3_900, type: 'unknown', lines: 2 },
      { at: 4_100, type: 'tool', id: 't3', name: 'WebSearch' },
      { at: 4_300, type: 'quota', window: 'five_hour', used: 0.4, resets: ago(-3_600) },
      { at: 4_500, type: 'asked', request: 'q1', kind: 'question', text: 'Keep the old signature?', options: ['yes', 'no'] },
      { at: 4_700, type: 'heard', n: 1 },
      { at: 5_000, type: 'limited', until: ago(-600), why: 'usage limit reached' },
      { at: 5_200, type: 'reported', report: { status: 'succeeded', summary: 'the clock is an argument' } },
      { at: 5_400, type: 'spent', inputTokens: 41_800, outputTokens: 2_100, cachedTokens: 39_000, costUsd: 0.42, model: 'opus' },
      { at: 5_600, type: 'ended', verdict: 'succeeded', summary: 'The clock is an argument now.' },
      { at: 5_800, type: 'failed', why: 'executor mine failed in step' },
      { at: 5_801, type: 'outcome', outcome: 'crashed', time: ago(4), detail: 'it was ended by signal 9', exit: 137 },
    ],
    next: 5_801,
    more: false,
    ended: true,
    isText: false,
  },
  'run.facts': {
    runId,
    directory: `/home/you/.fleet/runs/${runId}`,
    prompt: { text: 'Fix the login test\n\nIt reads the clock.', bytes: 38, file: `/home/you/.fleet/runs/${runId}/prompt.txt` },
    launch: {
      command: '/usr/bin/claude',
      args: ['--print', '--append-system-prompt', "don't guess"],
      workDirectory: '/home/you/code/site',
      mode: 'twoway',
      env: ['FLEET_TASK_ID', 'HOME', 'PATH'],
    },
    exit: { code: 137, signal: 'SIGKILL' },
  },
});
