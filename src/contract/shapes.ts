import { z } from 'zod';
import { JournalEntry } from '../domain/journal/entry.ts';
import { LIMITS } from '../domain/limits.ts';
import { Project } from '../domain/project/project.ts';
import { Question } from '../domain/question/question.ts';
import { Watch } from '../domain/run/run.ts';
import { PHASE_STATES, Task } from '../domain/task/task.ts';
import { line } from '../domain/values.ts';
import { TrustLevel } from '../domain/work/trust.ts';

/** An id, or a unique end of one. */
export const Ref = line(64).describe('id, or at least its last 4 characters');
/** The name or id of a project. */
export const ProjectRef = line(80).describe('name or id of the project');

export const TaskView = Task.omit({ prompt: true }).extend({
  prompt: z.string(),
  promptBytes: z.int(),
  /** Lists hold only the beginning of a long prompt; `task.show` holds all of it. */
  promptIsWhole: z.boolean(),
  project: z.string().optional(),
  /** Trust level of the agents. Absent in exports of older versions. */
  trust: TrustLevel.optional(),
  /** Why the task is not started or does not go on by itself; only in `task.show` and `task.wait`. */
  heldUp: z.string().optional(),
  /** Why the task may not get done as configured; only in `task.create` and `task.show`. */
  warnings: z.array(z.string()).optional(),
  /** The executor, model and effort of the task, and where each comes from; only in `task.show`. */
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
  /** Window and quota as the running agent reports them; only in `task.show` and `fleet.status`. */
  now: Watch.pick({ context: true, quota: true }).optional(),
});
export type TaskView = z.infer<typeof TaskView>;

export const PhaseName = z.enum([...PHASE_STATES] as [string, ...string[]]);

export const ProjectView = Project;
export const QuestionView = Question;
export const EntryView = JournalEntry;

export const paged = {
  limit: z.int().min(1).max(LIMITS.pageItems.value).default(50).describe('maximum number of items'),
  cursor: line(400).optional().describe('cursor of the previous page'),
};

export const page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), cursor: z.string().optional() });

/** The journal number the caller last saw: if the thing has changed since, the command is refused. */
export const ifSeq = z.int().min(1).optional().describe('refuse if the history no longer ends with this number');
