import type { TaskView } from '../../contract/shapes.ts';
import { usageSum } from '../../domain/run/usage.ts';
import type { Task } from '../../domain/task/task.ts';
import { trustOf } from '../../domain/work/trust.ts';
import { projects } from '../../store/records/projects.ts';
import { runs } from '../../store/records/runs.ts';
import type { Scope } from '../scope.ts';
import { loadText } from '../texts.ts';

/** A task as a list shows it: the beginning of a long prompt, the name of its project. */
export async function viewOf(task: Task, { reads }: Pick<Scope, 'reads'>): Promise<TaskView> {
  const { prompt } = task;
  const trust = trustOf(task);
  const project = task.projectId ? await projects.get(reads, task.projectId) : undefined;
  const view: TaskView =
    'text' in prompt
      ? { promptBytes: Buffer.byteLength(prompt.text), promptIsWhole: true, trust, ...task, prompt: prompt.text }
      : { promptBytes: prompt.bytes, promptIsWhole: false, trust, ...task, prompt: prompt.excerpt };
  if (project) view.project = project.body.name;
  return view;
}

/** With what the run that is at work now has taken so far. */
export async function liveView(view: TaskView, { reads }: Pick<Scope, 'reads'>): Promise<TaskView> {
  const { phase } = view;
  if (phase.state !== 'running' || phase.holder.kind !== 'run') return view;
  const { watch } = (await runs.get(reads, phase.holder.runId))?.body ?? {};
  if (!watch) return view;
  const usage = usageSum(view.usage, watch.usage);
  const { context, quota } = watch;
  return {
    ...view,
    turns: view.turns + (watch.turns?.count ?? 0),
    ...(usage ? { usage } : {}),
    ...(context || quota ? { now: { ...(context ? { context } : {}), ...(quota ? { quota } : {}) } } : {}),
  };
}

export async function wholeView(task: Task, scope: Pick<Scope, 'reads' | 'texts'>): Promise<TaskView> {
  const view = await viewOf(task, scope);
  return view.promptIsWhole ? view : { ...view, prompt: await loadText(scope, task.prompt), promptIsWhole: true };
}
