import type { TaskView } from '../contract/shapes.ts';
import type { Task } from '../domain/task/task.ts';
import { projects } from '../store/records/projects.ts';
import type { Scope } from './scope.ts';
import { whole } from './texts.ts';

/** A task as a list shows it: the beginning of a long prompt, the name of its project. */
export async function viewOf(task: Task, { reads }: Pick<Scope, 'reads'>): Promise<TaskView> {
  const { prompt, ...rest } = task;
  const project = task.projectId ? await projects.get(reads, task.projectId) : undefined;
  const told =
    'text' in prompt
      ? { prompt: prompt.text, promptBytes: Buffer.byteLength(prompt.text), promptIsWhole: true }
      : { prompt: prompt.excerpt, promptBytes: prompt.bytes, promptIsWhole: false };
  return { ...rest, ...told, ...(project ? { project: project.body.name } : {}) };
}

export async function wholeView(task: Task, scope: Pick<Scope, 'reads' | 'texts'>): Promise<TaskView> {
  const view = await viewOf(task, scope);
  return view.promptIsWhole ? view : { ...view, prompt: await whole(scope, task.prompt), promptIsWhole: true };
}
