import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { Path, TaskId } from '../domain/values.ts';
import { operation } from './operation.ts';
import { EntryView, ProjectRef, page, paged, TaskView } from './shapes.ts';

/** A whole task as one line of an export file. */
export const TaskLine = z.looseObject({ type: z.literal('task'), task: TaskView, comments: z.array(EntryView) });

export const exportTasks = operation({
  name: 'task.export',
  kind: 'query',
  role: 'monitor',
  summary: 'Export tasks as JSON Lines, one page at a time, oldest first.',
  input: z.strictObject({ project: ProjectRef.optional(), limit: paged.limit, cursor: paged.cursor }),
  output: page(TaskLine),
  faults: ['not_found', 'unavailable'],
});

export const importTasks = operation({
  name: 'task.import',
  kind: 'command',
  role: 'team-lead',
  summary: 'Import tasks from JSON Lines of Fleet or beads; existing tasks are skipped.',
  input: z.strictObject({
    lines: z.array(z.looseObject({})).max(LIMITS.importBatch.value).describe('the parsed lines of the file'),
    project: ProjectRef.optional(),
    directory: Path.optional().describe('directory for tasks without a project'),
    dispatch: z.boolean().default(false).describe('queue open tasks; by default they become drafts'),
  }),
  output: z.strictObject({ created: z.array(TaskId), skipped: z.array(z.strictObject({ source: z.string(), why: z.string() })) }),
  faults: ['invalid', 'not_found', 'forbidden', 'limit', 'unavailable'],
});
