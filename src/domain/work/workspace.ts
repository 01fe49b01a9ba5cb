import { z } from 'zod';
import { Instant, Path, ProjectId, RunId, TaskId, WorkspaceId } from '../values.ts';
import { CommitId } from './work.ts';

/** Whom a workspace serves. */
export const Use = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('task'), taskId: TaskId, branch: z.string(), start: CommitId }),
  z.strictObject({ kind: z.literal('gate'), taskId: TaskId, commit: CommitId }),
  z.strictObject({ kind: z.literal('free') }),
]);
export type Use = z.infer<typeof Use>;

export const WORKSPACE_STATES = ['making', 'setting_up', 'ready', 'failed', 'leaving'] as const;

/**
 * One working tree of ours, made once and used again and again: for a task and the runs that work on it, or for a gate.
 * Its directory never moves, because what a set-up makes may know its own path.
 */
export const Workspace = z.strictObject({
  id: WorkspaceId,
  n: z.int().min(1),
  projectId: ProjectId,
  host: z.string(),
  path: Path,
  isolation: z.enum(['worktree', 'clone']),
  use: Use,
  state: z.enum(WORKSPACE_STATES),
  /** Why it failed. */
  why: z.string().optional(),
  /** The set-up that has been done in it: of which command, and what it made. */
  setup: z.strictObject({ command: z.string(), paths: z.array(z.string()), fingerprint: z.string() }).optional(),
  setupRun: RunId.optional(),
  /** It is removed when it is left, however few there are. */
  doomed: z.literal(true).optional(),
  /** Files in it cannot be kept: it stays until a person has looked at them and asks for it to be removed again. */
  stuck: z.literal(true).optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Workspace = z.infer<typeof Workspace>;

/** One that was found without a row. It has a row only until it is removed, so that nobody is given its path meanwhile. */
export const isClaimedOrphan = ({ use, state }: Workspace): boolean => use.kind === 'free' && state === 'failed';

const FIRST_PORT = 20_000;
const PORTS_EACH = 10;
const LAST_RANGE = 4_000;

/** Ports nobody else of this host is told to use. */
export const portsOf = ({ n }: Pick<Workspace, 'n'>): { readonly first: number; readonly count: number } => ({
  first: FIRST_PORT + (n % LAST_RANGE) * PORTS_EACH,
  count: PORTS_EACH,
});
