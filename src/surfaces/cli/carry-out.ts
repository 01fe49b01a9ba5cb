import type { FlowName } from './command.ts';
import { answered, ask, type Order, type Result } from './order.ts';

export async function carryOut(order: Order): Promise<Result> {
  const { flow, operation } = order.command;
  if (flow) return (await FLOWS[flow]())(order);
  return answered(order, operation, await ask(order, operation, order.input));
}

type Flow = (order: Order) => Promise<Result>;

const FLOWS: Readonly<Record<FlowName, () => Promise<Flow>>> = {
  'task-create': async () => (await import('./flows/task-create.ts')).createTask,
  'task-diff': async () => (await import('./flows/task-diff.ts')).taskDiff,
  'task-edit': async () => (await import('./flows/task-create.ts')).editTask,
  'task-export': async () => (await import('./flows/task-export.ts')).exportTasks,
  'task-import': async () => (await import('./flows/task-import.ts')).importTasks,
  'task-log': async () => (await import('./flows/log.ts')).taskLog,
  'task-open': async () => (await import('./flows/task-open.ts')).openTask,
  'task-wait': async () => (await import('./flows/task-wait.ts')).waitForTasks,
  'run-show': async () => (await import('./flows/run-show.ts')).showRun,
  'run-log': async () => (await import('./flows/log.ts')).runLog,
  'running-tasks': async () => (await import('./flows/running-tasks.ts')).showRunning,
};
