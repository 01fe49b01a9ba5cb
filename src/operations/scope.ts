import type { z } from 'zod';
import type { ExecutorView } from '../contract/executor.ts';
import type { OperationName, OperationOf } from '../contract/index.ts';
import type { RunEvent, RunFacts } from '../contract/run-events.ts';
import type { Interactive } from '../domain/agent/executor.ts';
import type { Caller } from '../domain/authority.ts';
import type { DiskShortage } from '../domain/hold/disk-room.ts';
import type { Capacity } from '../domain/hold/hold.ts';
import type { Project } from '../domain/project/project.ts';
import type { Run } from '../domain/run/run.ts';
import type { SettingOrigin, Settings } from '../domain/settings.ts';
import type { Lane } from '../domain/task/lane.ts';
import type { BranchAt, Task } from '../domain/task/task.ts';
import type { Token } from '../domain/token/token.ts';
import type { ClaimId, Instant, LinkId, ProjectId, QuestionId, RunId, TaskId, TokenId } from '../domain/values.ts';
import type { Totals } from '../domain/work/work.ts';
import type { Workspace } from '../domain/work/workspace.ts';
import type { RunLog } from '../runlog/port.ts';
import type { Store, Write } from '../store/port.ts';
import type { AgentSetup } from './executor/agent-setup.ts';
import type { Upkeep } from './home/upkeep.ts';

/** All an operation may touch. Anything missing here is something an operation must not do. */
export interface Scope {
  readonly caller: Caller;
  readonly reads: Pick<Store, 'get' | 'scan' | 'limits'>;
  /** Wider than `reads` for a run: also what it may be told of. Nothing is changed on the strength of it. */
  readonly around: Scope['reads'];
  readonly texts: Pick<RunLog, 'putBlob' | 'getBlob'>;
  readonly now: Instant;
  readonly ids: Ids;
  readonly settings: SettingsPort;
  readonly places: Directories;
  readonly executors: Executors;
  readonly dispatching: Dispatching;
  readonly output: RunOutput;
  readonly home: HomeInfo;
  readonly upkeep: Upkeep;
  readonly work: GitPort;
  readonly signer: TokenSigner;
  /** Names, in small letters, under which somebody can call now, whoever may see them: nobody new may be called like them. */
  callerNames(): Promise<ReadonlySet<string>>;
}

/** An executor as the machine knows it, whatever the settings say. */
export type ExecutorHere = Omit<ExecutorView, 'isDefault' | 'model'>;

export interface Executors extends AgentSetup {
  /** Names that tasks may ask for, whether or not they can be started here. */
  names(): Promise<readonly string[]>;
  /** Accounts of one of them that tasks may ask for. */
  accounts(executor: string): Promise<readonly string[]>;
  /** What is wrong with one of them, by its name and account as a task would say them; undefined when it is ready. Soon answered. */
  unready(ref: string): Promise<ExecutorProblem | undefined>;
  /** Each with its program; asks programs for their versions, and for no longer than they may take. */
  here(): Promise<readonly ExecutorHere[]>;
  /** How a person goes on with a conversation; undefined where the program has no form for people. */
  interactive(wish: TerminalOpening): Promise<Interactive | undefined>;
}

/** Why an executor is of no use here at the moment. */
export interface ExecutorProblem {
  readonly why: string;
  /** What to type about it. */
  readonly repair?: string | undefined;
  /** Nothing is started with it. A program that is signed out or seems broken is started, and tells for itself. */
  readonly isAbsent: boolean;
}

/** A conversation, and where it is gone on with. */
export interface TerminalOpening {
  readonly task: Task;
  readonly run: Run;
  readonly session: string;
  readonly directory: string;
  /** Where the files of the program will lie. */
  readonly files: string;
}

/** Turns a token into the text its bearer shows. The same token gives the same text. */
export interface TokenSigner {
  sign(token: Token): Promise<string>;
  /** The code of a link, which nobody else can make. */
  codeOf(link: LinkId): Promise<string>;
}

export interface Ids {
  task(at?: Instant, seed?: string): TaskId;
  claim(): ClaimId;
  project(): ProjectId;
  question(): QuestionId;
  token(): TokenId;
  link(): LinkId;
}

export interface SettingView {
  readonly name: string;
  readonly value: unknown;
  readonly origin: SettingOrigin;
  readonly summary: string;
}

/** The settings in force for one call. */
export interface CurrentForCall {
  readonly values: Settings;
  readonly items: readonly SettingView[];
  readonly problem?: string | undefined;
  readonly file: string;
  /** What the caller gives for its own calls: defaults of what it creates. */
  readonly given?: Partial<Settings>;
  /** A directory must lie in one of each of these lists; an empty list allows all. */
  readonly allowLists?: readonly (readonly string[])[];
  /** What the caller gives and whoever carries out its call does not go by. */
  readonly notInForce?: readonly NotInForce[];
}

export interface NotInForce {
  readonly name: string;
  readonly variable: string;
  readonly given: unknown;
  readonly inForce: unknown;
}

export interface SettingsPort {
  current(): CurrentForCall;
  set(assignments: readonly string[]): Promise<void>;
}

/** What the engine goes by when it decides whether work is started here. */
export interface Dispatching {
  capacity(): Promise<Capacity>;
  /** The executor of a task that names none. */
  defaults(projectId: string | undefined, known?: Project): Promise<TaskDefaults>;
  startable(): Promise<(work: Pick<Lane, 'executor' | 'placement'>) => boolean>;
  diskShort(): Promise<DiskShortage | undefined>;
}

export interface TaskDefaults {
  readonly executor: string;
  readonly model?: string | undefined;
  readonly effort?: Project['effort'];
  /** Who chose them. */
  readonly from?: { readonly executor: string; readonly model?: string | undefined };
}

/** What runs have printed. Everything leaves it redacted. */
export interface RunOutput {
  read(
    runId: RunId,
    stream: 'out' | 'err',
    place: {
      readonly after: number;
      readonly last?: number | undefined;
      readonly lines: number;
      readonly final: boolean;
      /** It is where an earlier page ended: no line goes across it, and that need not be looked at. */
      readonly isEnd?: boolean;
    },
  ): Promise<OutputPage>;
  /** The same, decoded by the executor of the run. */
  events(run: Run, place: EventRange): Promise<RunEventPage>;
  /** What its directory tells of how it was started, and how it ended. */
  facts(runId: RunId): Promise<RunFacts>;
  /** Takes out of a text, which came another way, what its output is shown without. */
  redactor(runId: RunId): Promise<(text: string) => string>;
  /** Takes out of a text the very values that agents of these runs had, and nothing that merely looks like a secret. */
  known(runIds: readonly RunId[]): Promise<(text: string) => string>;
  /** The same where it is not known whose text it is: without the secrets of this process, and what looks like one. */
  clean(text: string): string;
}

export interface EventRange {
  readonly after: number;
  readonly last?: number | undefined;
  readonly limit: number;
}

export interface RunEventPage {
  readonly items: RunEvent[];
  readonly next: number;
  readonly more: boolean;
  readonly ended: boolean;
  readonly isText: boolean;
  readonly dropped?: number;
}

export interface OutputPage {
  readonly items: readonly { readonly at: number; readonly text: string; readonly dropped?: number }[];
  readonly next: number;
}

/** What the file system says about a directory. */
export type DirectoryKind =
  | {
      readonly kind: 'repository' | 'bare';
      readonly path: string;
      readonly branch?: string | undefined;
      readonly hasCommit: boolean;
    }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'unusable'; readonly path: string; readonly why: string };

export interface Directories {
  /** Follows links, finds the repository a directory belongs to. Never throws for what a person may have typed. */
  inspect(path: string): Promise<DirectoryKind>;
  /** Whether work can be done in a directory, and where it really is. As `inspect`, but what git said before holds while it must. */
  usable(path: string): Promise<{ readonly real: string } | { readonly why: string }>;
  /** The innermost repository at or above a directory, by what lies there. */
  repositoryAround(path: string): Promise<string | undefined>;
  /** A repository below a directory, as far down as it is looked through. */
  repositoryBelow(path: string): Promise<string | undefined>;
  /** The real path, or undefined when nothing is there. */
  real(path: string): Promise<string | undefined>;
}

/** What git says about work, and the few things that may be done to it at once. */
export interface GitPort {
  diff(
    project: Project,
    wish: { readonly base: string; readonly tip: string; readonly maxBytes: number },
  ): Promise<{ text: string; cut: boolean }>;
  totals(project: Project, span: { readonly base: string; readonly tip: string }): Promise<Totals>;
  /** Commits what lies uncommitted, onto the branch of the task. */
  gather(
    site: { readonly workspace: Workspace; readonly project: Project },
    task: Task,
  ): Promise<{ commit: string; tree: string }>;
  push(
    project: Project,
    wish: { readonly branch: string; readonly remote?: string | undefined },
  ): Promise<{ readonly ok: boolean; readonly remote?: string; readonly why?: string }>;
  /** The newest kept work of a task, or that of one run by the end of its id. */
  keptOf(project: Project, taskId: TaskId, run: string | undefined): Promise<{ commit: string; runId?: RunId } | undefined>;
  /** Everything in a workspace as it is now, under a hidden ref; whoever works in it is not disturbed. Undefined when it is gone. */
  snapshot(
    site: { readonly workspace: Workspace; readonly project: Project },
    wish: { readonly ref: string; readonly task: Task; readonly run: Run },
  ): Promise<{ commit: string } | undefined>;
  /** The branch work is to land on, the one checked out unless another is wanted, as far as it can be told. */
  target(project: Project, wanted: string | undefined): Promise<BranchAt>;
  /** The whole id of the commit a branch, a tag or an id names there. */
  commit(project: Project, ref: string): Promise<string | undefined>;
  /** Whether the repository of the project still has a commit. */
  has(project: Project, commit: string): Promise<boolean>;
  /** Makes a branch there, and answers its name; unless the name must be exact, a taken one gets a number. */
  restore(
    project: Project,
    wish: { readonly commit: string; readonly branch: string; readonly isExact: boolean },
  ): Promise<string>;
  blame(
    path: string,
    wish: { readonly ref?: string | undefined; readonly line?: number | undefined },
  ): Promise<{ file: string; lines: readonly BlameLine[] }>;
}

export interface BlameLine {
  readonly line: number;
  readonly text: string;
  readonly commit: string;
  readonly author: string;
  readonly at: string;
  readonly summary: string;
  readonly task?: string | undefined;
  readonly run?: string | undefined;
  readonly executor?: string | undefined;
  readonly model?: string | undefined;
}

export interface HomeInfo {
  /** Number of the process that carries out the call. */
  readonly pid: number;
  readonly path: string;
  /** The id under which workspaces and runs know this machine. */
  host(): Promise<string>;
  /** Where the notes of a task are, for its agents and for people. */
  notesOf(taskId: TaskId): string;
  /** Makes what is missing; says what it made. */
  init(): Promise<readonly string[]>;
  /** What is wrong with its database or its disk, as far as this process has met with it. */
  problem(): string | undefined;
  /** Who runs the engine of this home, if anybody does. */
  engine(): Promise<{ readonly host: string; readonly pid: number; readonly since: Instant } | undefined>;
}

/** What a handler wants to be true, and what it will say when it is. Only the wrapper commits. */
export interface Plan<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
}

export const plan = <Answer>(answer: Answer, writes: readonly Write[] = []): Plan<Answer> => ({ answer, writes });

/** One handler per declared operation: forgetting one, or inventing one, does not compile. */
export type Handlers = {
  readonly [Name in OperationName]: (
    input: z.output<OperationOf<Name>['input']>,
    scope: Scope,
  ) => Promise<Plan<z.input<OperationOf<Name>['output']>>>;
};
