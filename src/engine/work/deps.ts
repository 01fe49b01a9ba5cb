import type { Project } from '../../domain/project/project.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Instant, RunId, TaskId } from '../../domain/values.ts';
import type { GitFacts } from '../../domain/work/report.ts';
import type { SetupSource } from '../../domain/work/setup.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import type { EngineDeps } from '../deps.ts';

/** A workspace together with the project it belongs to. */
export interface ProjectWorkspace {
  readonly workspace: Workspace;
  readonly project: Project;
}

export type TargetBranch =
  | { readonly state: 'found'; readonly branch: string; readonly commit: string }
  | { readonly state: 'unborn' | 'detached' | 'missing'; readonly why: string; readonly branch?: string };

export type CombineResult =
  | { readonly state: 'contained'; readonly commit: string }
  | { readonly state: 'merged'; readonly commit: string; readonly tree: string }
  | { readonly state: 'conflict'; readonly files: readonly string[]; readonly text: string }
  | { readonly state: 'unrelated'; readonly why: string };

export type AdvanceResult =
  | { readonly state: 'moved'; readonly checkout?: string | undefined }
  | { readonly state: 'stale'; readonly now: string | undefined }
  | { readonly state: 'dirty'; readonly where: string; readonly files: readonly string[] }
  | { readonly state: 'busy'; readonly where: string; readonly why: string };

/** What is behind a commit of ours, said in its message, its trailers and its notes. */
export interface CommitOrigin {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run?: Pick<Run, 'id' | 'executor' | 'model'> | undefined;
}

export interface SavedWork {
  readonly commit: string;
  /** Something was not committed, so the commit is one of ours. */
  readonly isOurs: boolean;
  /** Files that could not be kept. While there are any, nothing may be removed. */
  readonly left: readonly string[];
  /** Why the commits of its agent were not taken with its files. */
  readonly unread?: string | undefined;
}

export interface CommittedWork {
  readonly commit: string;
  readonly tree: string;
  /** Why something that is there is not part of it. */
  readonly without?: string | undefined;
}

export interface SetupProduct {
  readonly paths: readonly string[];
  readonly fingerprint: string;
  /** It may serve others: at levels below the user's own only a copy that no agent has reached, of what has landed. */
  readonly isLasting: boolean;
}

export interface ProvisionedTree {
  readonly head: string;
  /** What an earlier set-up made is in it. */
  readonly isSetUp: boolean;
  readonly skipped: readonly string[];
  /** Nothing is in it but the commit and what Fleet put there. */
  readonly isFresh: boolean;
}

/** What is written beside the files of a workspace that was put aside. */
export interface AsideReason {
  readonly why: string;
  readonly at: Instant;
  readonly taskId?: TaskId | undefined;
  readonly runId?: RunId | undefined;
}

export interface TrashState {
  readonly left: number;
  readonly stays: readonly { readonly name: string; readonly why: string }[];
}

/** What the mark of a directory says of it. */
export interface MarkedDirectory {
  readonly path: string;
  readonly id: string;
  readonly repository: string;
  readonly isolation: Workspace['isolation'];
}

/**
 * What the engine needs of the room that knows git. Everything may be called again after a crash anywhere inside; nothing
 * touches a working tree of the user's that is not clean, and nothing in a repository makes it run a program.
 */
export interface GitWork {
  targetOf(project: Project, wanted: string | undefined): Promise<TargetBranch>;
  commitOf(project: Project, ref: string): Promise<string | undefined>;
  treeOf(project: Project, commit: string): Promise<string>;
  branchFor(task: Task, executor: string): string;
  pathOf(project: Project, n: number): string;
  /** Makes the tree ready at what its use says, with or without what a set-up made before; one that is in use already stays as it is. */
  provision(site: ProjectWorkspace, how: { readonly keepSetup: boolean }): Promise<ProvisionedTree>;
  /** What a set-up on this commit runs on. Undefined where the project's repository does not have the commit. */
  setupSource(project: Project, at: Pick<SetupSource, 'commit' | 'trust'>): Promise<SetupSource | undefined>;
  /** Whether the tip has the commit behind it. */
  isContained(project: Project, span: { readonly commit: string; readonly tip: string }): Promise<boolean>;
  /** Before its agent begins: shows it where these branches of the project stand, if it has a repository of its own. */
  showBranches(site: ProjectWorkspace, wish: { readonly target: string; readonly branches: readonly string[] }): Promise<void>;
  /** What the set-up command has made, made safe for its agents, and a fingerprint of it. */
  recordSetup(site: ProjectWorkspace, from: { readonly isLanded: boolean }): Promise<SetupProduct>;
  /** Whether what the set-up made is still to be had as it was. */
  isSetUpIntact(site: ProjectWorkspace): Promise<boolean>;
  /** Everything in the tree but ignored files, under a hidden ref; undefined when the tree is gone. */
  save(site: ProjectWorkspace, wish: { readonly ref: string; readonly origin: CommitOrigin }): Promise<SavedWork | undefined>;
  /** Commits what is not committed yet, and brings the branch into the project's repository. Undefined when the tree is gone. */
  commitWork(site: ProjectWorkspace, origin: CommitOrigin): Promise<CommittedWork | undefined>;
  changes(project: Project, span: { readonly base: string; readonly tip: string }): Promise<GitFacts>;
  /** Puts the tree back to nothing but a commit and what the set-up made. */
  reset(site: ProjectWorkspace): Promise<void>;
  /** Takes it out of the way at once; deleting comes later. */
  remove(site: ProjectWorkspace): Promise<void>;
  /**
   * Work of this port that ends when the signal is aborted: what it has started is ended, and it fails with the reason of the
   * signal.
   */
  within<Answer>(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer>;
  /** Where a workspace is put aside. */
  asidePathOf(workspace: Workspace, at: Instant): string;
  /** Puts it aside whole, with the reason; git of the project forgets it. */
  putAside(site: ProjectWorkspace, wish: { readonly path: string; readonly reason: AsideReason }): Promise<void>;
  /** Takes away for good what was put aside. */
  removeAside(path: string): Promise<void>;
  /** Whether its directory is there. */
  isHere(site: ProjectWorkspace): Promise<boolean>;
  /** Every directory that carries our mark. */
  markedDirectories(): Promise<readonly MarkedDirectory[]>;
  /** Keeps what is in a directory of ours that belongs to nobody, and discards it. */
  removeOrphan(orphan: MarkedDirectory): Promise<void>;
  /** Deletes for a while what was discarded: how much is left, and what cannot be deleted. */
  emptyTrash(forMs: number): Promise<TrashState>;
  combine(
    project: Project,
    wish: {
      readonly onto: string;
      readonly tip: string;
      readonly origin: CommitOrigin;
      readonly at: string;
      /** What comes of it is kept under this ref. */
      readonly ref?: string;
    },
  ): Promise<CombineResult>;
  /** Removes a hidden ref; what is under no other is left to git. */
  dropRef(project: Project, ref: string): Promise<void>;
  advance(
    project: Project,
    move: { readonly branch: string; readonly from: string; readonly to: string; readonly why: string },
  ): Promise<AdvanceResult>;
  /** Says of every commit between the two whose work it is. */
  recordProvenance(
    project: Project,
    span: { readonly base: string; readonly tip: string; readonly landed: string },
    origin: CommitOrigin,
  ): Promise<void>;
  push(project: Project, branch: string): Promise<{ readonly ok: boolean; readonly why?: string }>;
  /** Whether the branch could be moved now without touching anything of the user's. */
  isFree(project: Project, move: { readonly branch: string; readonly from: string; readonly to: string }): Promise<boolean>;
  /** Removes a branch that is contained in another, if it still stands where we saw it. */
  dropBranch(project: Project, branch: string, at: string): Promise<void>;
  /** Removes the branch of a task if what is kept of the task holds all of it. False: it stays. */
  dropKeptBranch(project: Project, branch: string, taskId: TaskId): Promise<boolean>;
}

export interface WorkRules {
  /** Times an agent is told that what it claims is not so. */
  readonly repairs: number;
  /** Gates at once on this host. */
  readonly gates: number;
  readonly gateSeconds: number;
  readonly setupSeconds: number;
  /** Longest that keeping, clearing or removing what is in one workspace may take. */
  readonly keepSeconds: number;
  /** Unused workspaces that are kept ready for each project. */
  readonly pool: number;
  /** Changes here never land without a person. */
  readonly guarded: readonly string[];
}

export interface WorkDeps extends EngineDeps {
  readonly gitWork: GitWork;
  workRules(): WorkRules;
  /** Where the commits of a span hold a secret that one of these runs had, or why that cannot be told. */
  leaks(project: Project, span: { readonly base: string; readonly tip: string }, runIds: readonly RunId[]): Promise<string[]>;
  /** The end of what a run has printed, without secrets; of each stream as much as evidence holds, or as is asked for. */
  lastOutput(runId: RunId, mostBytes?: number): Promise<string>;
  /** Removes the notes of a task that was deleted. */
  dropNotes(taskId: TaskId): Promise<void>;
  log(event: string, fields: Record<string, unknown>): void;
}
