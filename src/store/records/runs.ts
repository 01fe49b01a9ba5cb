import { Run } from '../../domain/run/run.ts';
import { part, records } from './record.ts';

export const runIndex = {
  all: 'run.all',
  task: (taskId: string) => `run.task/${taskId}`,
  /** Runs of one host that have not ended. */
  live: (host: string) => `run.live/${part(host)}`,
} as const;

export const runs = records<Run>({
  kind: 'run',
  schema: Run,
  idOf: ({ id }) => id,
  entriesOf: ({ id, taskId, host, phase }) => [
    { index: runIndex.all, sort: id },
    { index: runIndex.task(taskId), sort: id },
    ...(phase.state === 'ended' ? [] : [{ index: runIndex.live(host), sort: id }]),
  ],
});
