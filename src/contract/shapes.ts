import { z } from 'zod';
import { Entry } from '../domain/journal/entry.ts';
import { LIMITS } from '../domain/limits.ts';
import { Project } from '../domain/project/project.ts';
import { Question } from '../domain/question/question.ts';
import { Watch } from '../domain/run/run.ts';
import { PHASE_STATES, Task } from '../domain/task/task.ts';
import { line } from '../domain/values.ts';
import { TrustLevel } from '../domain/work/trust.ts';

/** An id, or enough of its end to be the only one. */
export const Ref = line(64).describe('its id, or at least the last 4 characters of it');
/** A project's name or id. */
export const ProjectRef = line(80).describe('name or id of the project');

export const TaskView = Task.omit({ prompt: true }).extend({
  prompt: z.string(),
  promptBytes: z.int(),
  /** Lists carry the beginning of a long prompt; `task.show` carries all of it. */
  promptIsWhole: z.boolean(),
  project: z.string().optional(),
  /** How far its agents are trusted. Absent in files that were exported before there were levels. */
  trust: TrustLevel.optional(),
  /** Why it is not started and does not go on by itself; only `task.show` and `task.wait` look. */
  heldUp: z.string().optional(),
  /** Why it may not get done as things stand; only `task.create` and `task.show` look. */
  warnings: z.array(z.string()).optional(),
  /** Which executor, model and effort it runs with, and who chose them; only `task.show` looks. */
  effective: z
    .strictObject({
      executor: z.string(),
      executorFrom: z.string(),
      model: z.string().optional(),
      modelFrom: z.string().optional(),
      effort: z.string().optional(),
      effortFrom: z.string().optional(),
    })
    .optional(),
  /** What its running agent says of its window and its account; only `task.show` and `fleet.status` look. */
  now: Watch.pick({ context: true, quota: true }).optional(),
});
export type TaskView = z.infer<typeof TaskView>;

export const PhaseName = z.enum([...PHASE_STATES] as [string, ...string[]]);

export const ProjectView = Project;
export const QuestionView = Question;
export const EntryView = Entry;

export const paged = {
  limit: z.int().min(1).max(LIMITS.pageItems.value).default(50).describe('most items to return'),
  cursor: line(400).optional().describe('where the page before ended'),
};

export const page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), cursor: z.string().optional() });

/** What the caller last saw: if the thing has changed since, the command is refused. */
export const ifSeq = z.int().min(1).optional().describe('refuse unless its history still ends with this number');
