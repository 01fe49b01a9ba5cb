import { z } from 'zod';
import { Instant, Path, ProjectId, RunId, TaskId, WorkspaceId } from '../values.ts';
import { Setup, SetupSource } from './setup.ts';
import { TrustLevel, trustOf } from './trust.ts';
import { CommitId } from './work.ts';

/** Whom a workspace serves. */
export const Use = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('task'), taskId: TaskId, branch: z.string(), start: CommitId }),
  z.strictObject({ kind: z.literal('gate'), taskId: TaskId, commit: CommitId }),
  z.strictObject({ kind: z.literal('free') }),
]);
export type Use = z.infer<typeof Use>;

export const WORKSPACE_STATES = ['making', 'setting_up', 'ready', 'failed', 'leaving', 'aside'] as const;

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
  /** Of the agents that work in it. Absent in rows of before levels were recorded: `trustOf` says it then. */
  trust: TrustLevel.optional(),
  use: Use,
  state: z.enum(WORKSPACE_STATES),
  /** Why it failed, or was put aside. */
  why: z.string().optional(),
  setup: Setup.optional(),
  setupRun: RunId.optional(),
  /** What the set-up that has still to end runs on. */
  setupSource: SetupSource.optional(),
  /** It is removed when it is left, however few there are. */
  doomed: z.literal(true).optional(),
  /** Files in it cannot be kept: it stays until a person has looked at them and asks for it to be removed again. */
  stuck: z.literal(true).optional(),
  /**
   * What is in it could be neither kept nor cleared: it was put aside whole, is never used again and goes only when a person
   * says so. Where its files are now; without a path they could not be moved, and are where they were.
   */
  aside: z
    .strictObject({
      at: Instant,
      path: Path.optional(),
      /** Whose work could not be kept. */
      runId: RunId.optional(),
      /** Its files are being moved there. */
      moving: z.literal(true).optional(),
    })
    .optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Workspace = z.infer<typeof Workspace>;

/** How far those who work in it are trusted. */
export const levelOf = (workspace: Pick<Workspace, 'trust' | 'isolation'>): TrustLevel => workspace.trust ?? trustOf(workspace);

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
