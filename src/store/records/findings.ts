import { Evidence } from '../../domain/work/evidence.ts';
import { Report } from '../../domain/work/report.ts';
import { records } from './record.ts';

/* What runs have left behind for good: what agents reported, and what gates found. Both carry the id of their run. */

export const reportIndex = { task: (taskId: string) => `report.task/${taskId}` } as const;
export const reports = records<Report>({
  kind: 'report',
  schema: Report,
  idOf: ({ runId }) => runId,
  entriesOf: ({ taskId, runId }) => [{ index: reportIndex.task(taskId), sort: runId }],
});

export const evidenceIndex = { task: (taskId: string) => `evidence.task/${taskId}` } as const;
export const evidence = records<Evidence>({
  kind: 'evidence',
  schema: Evidence,
  idOf: ({ runId }) => runId,
  entriesOf: ({ taskId, runId }) => [{ index: evidenceIndex.task(taskId), sort: runId }],
});
