import { Run } from '../../domain/run/run.ts';
import { part, records } from './record.ts';

export const runIndex = {
  all: 'run.all',
  task: (taskId: string) => `run.task/${taskId}`,
  /** Those of a task's runs in which an agent worked. */
  agents: (taskId: string) => `run.agents/${taskId}`,
  /** Runs of one host that have not ended. */
  live: (host: string) => `run.live/${part(host)}`,
} as const;

export const runs = records<Run>({
  kind: 'run',
  schema: Run,
  idOf: ({ id }) => id,
  entriesOf: ({ id, taskId, host, phase, kind }) => [
    { index: runIndex.all, sort: id },
    { index: runIndex.task(taskId), sort: id },
    ...(kind === 'agent' ? [{ index: runIndex.agents(taskId), sort: id }] : []),
    ...(phase.state === 'ended' ? [] : [{ index: runIndex.live(host), sort: id }]),
  ],
});
