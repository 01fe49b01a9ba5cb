import { z } from 'zod';
import { Instant, ProjectId, TaskId } from '../../domain/values.ts';
import { records } from './record.ts';

export const cleanupIndex = { all: 'cleanup.all' } as const;

/** A task whose branch, and if it was deleted whose notes, nobody needs any more: the engine takes them away. */
const Cleanup = z.strictObject({
  id: TaskId,
  projectId: ProjectId.optional(),
  branch: z.string().optional(),
  isDeleted: z.boolean(),
  at: Instant,
});
export type Cleanup = z.infer<typeof Cleanup>;

export const cleanups = records<Cleanup>({
  kind: 'cleanup',
  schema: Cleanup,
  idOf: ({ id }) => id,
  entriesOf: ({ id }) => [{ index: cleanupIndex.all, sort: id }],
});
