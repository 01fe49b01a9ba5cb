import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { Path, TaskId } from '../domain/values.ts';
import { operation } from './operation.ts';
import { EntryView, ProjectRef, page, paged, TaskView } from './shapes.ts';

/** A task as a line of a file: whole, and readable by people and other programs. */
export const TaskLine = z.looseObject({ type: z.literal('task'), task: TaskView, comments: z.array(EntryView) });

export const exportTasks = operation({
  name: 'task.export',
  kind: 'query',
  role: 'monitor',
  summary: 'Write tasks as JSON Lines, a page at a time, oldest first.',
  input: z.strictObject({ project: ProjectRef.optional(), limit: paged.limit, cursor: paged.cursor }),
  output: page(TaskLine),
  faults: ['not_found', 'unavailable'],
});

export const importTasks = operation({
  name: 'task.import',
  kind: 'command',
  role: 'team-lead',
  summary: 'Read tasks from JSON Lines, ours or a beads file; what is here already is left alone.',
  input: z.strictObject({
    lines: z.array(z.looseObject({})).max(LIMITS.importBatch.value).describe('parsed lines of the file'),
    project: ProjectRef.optional(),
    directory: Path.optional().describe('where tasks without a project work'),
    dispatch: z.boolean().default(false).describe('queue what is open; by default it comes in as drafts'),
  }),
  output: z.strictObject({ created: z.array(TaskId), skipped: z.array(z.strictObject({ source: z.string(), why: z.string() })) }),
  faults: ['invalid', 'not_found', 'forbidden', 'limit', 'unavailable'],
});
