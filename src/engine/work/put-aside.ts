import type { Project } from '../../domain/project/project.ts';
import type { RunId } from '../../domain/values.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import type { Write } from '../../store/port.ts';
import type { Versioned } from '../../store/records/record.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { BackgroundWork } from './background-work.ts';
import { bounded } from './bounded.ts';
import type { WorkDeps } from './deps.ts';
import { reasonOf } from './trouble.ts';

/** Renames take no time; finding out what git of the project knows of it may. */
const MOVE_MS = 60_000;
const SAID = 1_000;

export interface AsideCause {
  readonly why: string;
  /** Whose work could not be kept. */
  readonly runId?: RunId | undefined;
}

/**
 * Has a workspace put aside whole. The row says so first: nobody uses it any more, and `furnish` moves its files, also after
 * a crash.
 */
export function planAside(
  { body, version }: Versioned<Workspace>,
  { why, runId }: AsideCause,
  { gitWork, now }: WorkDeps,
): Write {
  const { setupRun: _run, stuck: _stuck, doomed: _doomed, setup: _setup, ...rest } = body;
  const at = now();
  const aside = { at, path: gitWork.asidePathOf(body, at), ...(runId ? { runId } : {}), moving: true } as const;
  return workspaces.put({ ...rest, state: 'aside', why: why.slice(0, SAID), aside, updatedAt: at }, version);
}

interface Around {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
}

/** Moves the files of one that is put aside. Where that is not possible its number, and with it its path, stays taken. */
export async function moveAside(
  { body, version }: Versioned<Workspace>,
  project: Project | undefined,
  { needs, beside }: Around,
): Promise<boolean> {
  const { aside } = body;
  if (!aside) return false;
  const failed = await beside.take(`put aside ${body.id} ${version}`, () =>
    moved(body, project, needs).then(
      () => undefined,
      (error: unknown) => reasonOf(error),
    ),
  );
  if (!failed) return false;
  const { moving: _done, path, ...rest } = aside;
  const found = failed.value === undefined ? { aside: { ...rest, ...(path ? { path } : {}) } } : { aside: rest };
  const why = failed.value === undefined ? body.why : `${body.why}; it could not be moved either: ${failed.value}`.slice(0, SAID);
  const next: Workspace = { ...body, ...found, ...(why ? { why } : {}), updatedAt: needs.now() };
  await needs.store.commit([workspaces.put(next, version)], { flush: true });
  const taskId = body.use.kind === 'free' ? undefined : body.use.taskId;
  needs.log('workspace.aside', { workspaceId: body.id, taskId, runId: aside.runId, path: next.aside?.path ?? body.path, why });
  return true;
}

async function moved(workspace: Workspace, project: Project | undefined, { gitWork }: WorkDeps): Promise<void> {
  const { aside, use, why = '' } = workspace;
  if (!project || !aside?.path) throw new Error('its project is gone');
  const { path, at, runId } = aside;
  const reason = { why, at, runId, ...(use.kind === 'free' ? {} : { taskId: use.taskId }) };
  await bounded(gitWork, { forMs: MOVE_MS }, () => gitWork.putAside({ workspace, project }, { path, reason }));
}
