import { z } from 'zod';
import { Instant, Path, ProjectId, RunId, TaskId, WorkspaceId } from '../values.ts';
import { Setup, SetupSource } from './setup.ts';
import { TrustLevel, trustOf } from './trust.ts';
import { CommitId } from './work.ts';

/** The present use of a workspace. */
export const WorkspaceUse = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('task'), taskId: TaskId, branch: z.string(), start: CommitId }),
  z.strictObject({ kind: z.literal('gate'), taskId: TaskId, commit: CommitId }),
  z.strictObject({ kind: z.literal('free') }),
]);
export type WorkspaceUse = z.infer<typeof WorkspaceUse>;

export const WORKSPACE_STATES = ['making', 'setting_up', 'ready', 'failed', 'leaving', 'aside'] as const;

/**
 * A working tree that Fleet makes once and reuses: for a task and its runs, or for a gate. Its directory never moves, because
 * the results of a set-up may contain absolute paths.
 */
export const Workspace = z.strictObject({
  id: WorkspaceId,
  n: z.int().min(1),
  projectId: ProjectId,
  host: z.string(),
  path: Path,
  isolation: z.enum(['worktree', 'clone']),
  /** Trust level of the agents that work in it. Absent in old rows, for which `trustOf` derives it. */
  trust: TrustLevel.optional(),
  use: WorkspaceUse,
  state: z.enum(WORKSPACE_STATES),
  /** Why the workspace failed or was put aside. */
  why: z.string().optional(),
  setup: Setup.optional(),
  setupRun: RunId.optional(),
  /** The source of the set-up that is still running. */
  setupSource: SetupSource.optional(),
  /** The workspace is removed after its use, however few there are. */
  doomed: z.literal(true).optional(),
  /** Some files cannot be kept: the workspace stays until a person has looked at them and asks for its removal again. */
  stuck: z.literal(true).optional(),
  /**
   * Set if the files could be neither kept nor reset: the workspace was put aside whole, is never reused, and only a person
   * removes it. `path` is where the files are now; without it they could not be moved.
   */
  aside: z
    .strictObject({
      at: Instant,
      path: Path.optional(),
      /** The run whose work could not be kept. */
      runId: RunId.optional(),
      /** Set while the files are being moved. */
      moving: z.literal(true).optional(),
    })
    .optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Workspace = z.infer<typeof Workspace>;

/** The trust level of the agents that work in the workspace. */
export const levelOf = (workspace: Pick<Workspace, 'trust' | 'isolation'>): TrustLevel => workspace.trust ?? trustOf(workspace);

/** A workspace directory that was found without a row. It gets a row until its removal, so that its path is not given out. */
export const isClaimedOrphan = ({ use, state }: Workspace): boolean => use.kind === 'free' && state === 'failed';

const FIRST_PORT = 20_000;
const PORTS_EACH = 10;
const LAST_RANGE = 4_000;

/** The range of ports that Fleet gives to this workspace and to no other on the host. */
export const portsOf = ({ n }: Pick<Workspace, 'n'>): { readonly first: number; readonly count: number } => ({
  first: FIRST_PORT + (n % LAST_RANGE) * PORTS_EACH,
  count: PORTS_EACH,
});
