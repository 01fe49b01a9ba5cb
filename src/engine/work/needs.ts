import type { Project } from '../../domain/project/project.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunId, TaskId } from '../../domain/values.ts';
import type { GitFacts } from '../../domain/work/report.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import type { Needs } from '../needs.ts';

/** A workspace together with the project it belongs to. */
export interface Site {
  readonly workspace: Workspace;
  readonly project: Project;
}

export type Target =
  | { readonly state: 'found'; readonly branch: string; readonly commit: string }
  | { readonly state: 'unborn' | 'detached' | 'missing'; readonly why: string; readonly branch?: string };

export type Combined =
  | { readonly state: 'contained'; readonly commit: string }
  | { readonly state: 'merged'; readonly commit: string; readonly tree: string }
  | { readonly state: 'conflict'; readonly files: readonly string[]; readonly text: string }
  | { readonly state: 'unrelated'; readonly why: string };

export type Advanced =
  | { readonly state: 'moved'; readonly checkout?: string | undefined }
  | { readonly state: 'stale'; readonly now: string | undefined }
  | { readonly state: 'dirty'; readonly where: string; readonly files: readonly string[] }
  | { readonly state: 'busy'; readonly where: string; readonly why: string };

/** What is behind a commit of ours, said in its message, its trailers and its notes. */
export interface Origin {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run?: Pick<Run, 'id' | 'executor' | 'model'> | undefined;
}

export interface Kept {
  readonly commit: string;
  /** Something was not committed, so the commit is one of ours. */
  readonly isOurs: boolean;
  /** Files that could not be kept. While there are any, nothing may be removed. */
  readonly left: readonly string[];
}

export interface Gathered {
  readonly commit: string;
  readonly tree: string;
  /** Why something that is there is not part of it. */
  readonly without?: string | undefined;
}

/** What the mark of a directory says of it. */
export interface Marked {
  readonly path: string;
  readonly id: string;
  readonly repository: string;
  readonly isolation: Workspace['isolation'];
}

/**
 * What the engine needs of the room that knows git. Everything may be called again after a crash anywhere inside; nothing
 * touches a working tree of the user's that is not clean, and nothing in a repository makes it run a program.
 */
export interface Workshop {
  targetOf(project: Project, wanted: string | undefined): Promise<Target>;
  commitOf(project: Project, ref: string): Promise<string | undefined>;
  treeOf(project: Project, commit: string): Promise<string>;
  branchFor(task: Task, executor: string): string;
  pathOf(project: Project, n: number): string;
  /** Makes the tree ready at what its use says; one that is in use already stays as it is. */
  layOut(site: Site): Promise<{ readonly head: string; readonly skipped: readonly string[] }>;
  /** What the set-up command has made, and a fingerprint of it. */
  madeBySetup(site: Site): Promise<{ readonly paths: readonly string[]; readonly fingerprint: string }>;
  /** Whether what the set-up made is still as it was. */
  isSetUpIntact(site: Site): Promise<boolean>;
  /** Everything in the tree but ignored files, under a hidden ref; undefined when the tree is gone. */
  keep(site: Site, wish: { readonly ref: string; readonly origin: Origin }): Promise<Kept | undefined>;
  /** Commits what is not committed yet, and brings the branch into the project's repository. Undefined when the tree is gone. */
  gather(site: Site, origin: Origin): Promise<Gathered | undefined>;
  changes(project: Project, span: { readonly base: string; readonly tip: string }): Promise<GitFacts>;
  /** Puts the tree back to nothing but a commit and what the set-up made. */
  clear(site: Site): Promise<void>;
  /** Takes it out of the way at once; deleting comes later. */
  discard(site: Site): Promise<void>;
  /** Whether its directory is there. */
  isHere(site: Site): Promise<boolean>;
  /** Every directory that carries our mark. */
  marked(): Promise<readonly Marked[]>;
  /** Keeps what is in a directory of ours that belongs to nobody, and discards it. */
  removeOrphan(orphan: Marked): Promise<void>;
  /** Deletes for a while what was discarded; how much is left. */
  emptyTrash(forMs: number): Promise<number>;
  combine(
    project: Project,
    wish: {
      readonly onto: string;
      readonly tip: string;
      readonly origin: Origin;
      readonly at: string;
      /** What comes of it is kept under this ref. */
      readonly ref?: string;
    },
  ): Promise<Combined>;
  /** Removes a hidden ref; what is under no other is left to git. */
  dropRef(project: Project, ref: string): Promise<void>;
  advance(
    project: Project,
    move: { readonly branch: string; readonly from: string; readonly to: string; readonly why: string },
  ): Promise<Advanced>;
  /** Says of every commit between the two whose work it is. */
  annotate(
    project: Project,
    span: { readonly base: string; readonly tip: string; readonly landed: string },
    origin: Origin,
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
  /** Unused workspaces that are kept ready for each project. */
  readonly pool: number;
  /** Changes here never land without a person. */
  readonly guarded: readonly string[];
}

export interface WorkNeeds extends Needs {
  readonly workshop: Workshop;
  workRules(): WorkRules;
  /** The end of what a run has printed, without secrets; of each stream as much as evidence holds, or as is asked for. */
  lastOutput(runId: RunId, mostBytes?: number): Promise<string>;
  /** Removes the notes of a task that was deleted. */
  dropNotes(taskId: TaskId): Promise<void>;
  log(event: string, fields: Record<string, unknown>): void;
}
