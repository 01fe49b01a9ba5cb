import { LIMITS } from '../../domain/limits.ts';
import { type Packet, type PacketReader, type PacketTask, packetOf, packetTaskOf } from '../../domain/run/packet.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import type { RunId } from '../../domain/values.ts';
import { mapTexts, type Report } from '../../domain/work/report.ts';
import type { Store } from '../port.ts';
import { reportIndex, reports } from '../records/findings.ts';
import { taskIndex, tasks } from '../records/tasks.ts';
import { workspaces } from '../records/workspaces.ts';

type Reads = Pick<Store, 'get' | 'scan'>;

/** Takes out of a report what nobody else may read. */
export type Clean = (report: Report) => Promise<Report>;

/** Without the secrets that the agent had whose report it is: git's part of it is that agent's words too. */
export const cleaned =
  (redactor: (runId: RunId) => Promise<(text: string) => string>): Clean =>
  async (report) =>
    mapTexts(report, await redactor(report.runId));

/** What the agent of a task is told of the work of others, as it is now. Another team's work is named and not told. */
export async function packetFor(store: Reads, task: Task, clean: Clean): Promise<Packet> {
  const [found, reviews] = await Promise.all([
    Promise.all(task.dependsOn.map(async (id) => ({ id, other: (await tasks.get(store, id))?.body }))),
    reviewsOf(store, task),
  ]);
  const near = found.flatMap(({ other }) => (other && other.team === task.team ? [other] : []));
  const known = new Set(near.map(({ id }) => id));
  const reader = await readerOf(store, task);
  const tell = (others: readonly Task[]) => Promise.all(others.map((other) => toldTaskOf(store, other, { reader, clean })));
  return packetOf({
    dependencies: await tell(near),
    reviews: await tell(reviews.filter(({ id }) => !known.has(id))),
    leftOut: found.flatMap(({ id }) => (known.has(id) ? [] : [id])),
  });
}

export async function toldTaskOf(
  store: Pick<Store, 'scan'>,
  other: Task,
  { reader, clean }: { readonly reader: PacketReader; readonly clean: Clean },
): Promise<PacketTask> {
  const report = await newestReport(store, other.id);
  return packetTaskOf(other, report && (await clean(report)), reader);
}

/** Where the agent of a task works. */
export async function readerOf(store: Pick<Store, 'get'>, { projectId, work }: Task): Promise<PacketReader> {
  const workspace = work?.workspaceId && (await workspaces.get(store, work.workspaceId))?.body;
  return { projectId, isInClone: workspace ? workspace.isolation === 'clone' : false };
}

export async function newestReport(store: Pick<Store, 'scan'>, taskId: string): Promise<Report | undefined> {
  const [newest] = await store.scan({ index: reportIndex.task(taskId), limit: 1, reverse: true });
  return newest && reports.read(newest);
}

/** Tasks whose work the agent of a task is told of. */
export async function toldTo(store: Reads, task: Task): Promise<readonly Task[]> {
  const near = await Promise.all(task.dependsOn.map(async (id) => (await tasks.get(store, id))?.body));
  const dependencies = near.flatMap((other) => (other && other.team === task.team ? [other] : []));
  return [...dependencies, ...(await reviewsOf(store, task))].slice(0, LIMITS.packetTasks.value);
}

/** A review is a part of the task it looks at. */
async function reviewsOf(store: Pick<Store, 'scan'>, { id, children }: Task): Promise<Task[]> {
  if (children === 0) return [];
  const parts = await store.scan({ index: taskIndex.parent(id), limit: LIMITS.subTasks.value });
  return parts.map(tasks.read).filter(({ reviews, phase }) => reviews === id && isFinal(phase));
}
