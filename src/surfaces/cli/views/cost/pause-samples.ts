import type { OutputOf } from '../../../../contract/call.ts';
import { RunId } from '../../../../domain/values.ts';

export const pauseSample: OutputOf<'pause.lift'> = {
  id: 'pause_claude/default',
  seq: 2,
  executor: 'claude',
  account: 'default',
  since: '2030-01-31T11:40:00.000Z',
  until: '2030-01-31T14:00:00.000Z',
  stated: true,
  guesses: 0,
  why: "You've hit your session limit",
  runId: RunId.parse('run_01jz0000000000000002xq4n1r'),
};

export const pauseSamples: { readonly [Name in 'pause.list' | 'pause.lift']: OutputOf<Name> } = {
  'pause.list': {
    items: [
      pauseSample,
      { ...pauseSample, executor: 'codex', account: 'work', stated: false, guesses: 1, until: '2030-01-31T12:00:04.000Z' },
    ],
  },
  'pause.lift': { ...pauseSample, over: { at: '2030-01-31T12:00:00.000Z', by: 'you' } },
};
