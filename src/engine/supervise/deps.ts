import type { Executor, Job } from '../../domain/agent/executor.ts';
import type { Price } from '../../domain/agent/prices.ts';
import type { BoundSettings } from '../../domain/bounds/bounds.ts';
import type { ClaimedResult } from '../../domain/run/conclusion.ts';
import type { Outcome, Run, Watch } from '../../domain/run/run.ts';
import type { Settings } from '../../domain/settings.ts';
import type { Task } from '../../domain/task/task.ts';
import type { QuestionId, RunId, WorkspaceId } from '../../domain/values.ts';
import type { Report } from '../../domain/work/report.ts';
import type { Work } from '../../domain/work/work.ts';
import type { FileOp } from '../../platform/file-ops.ts';
import type { Version } from '../../store/port.ts';
import type { EngineDeps } from '../deps.ts';
import type { PlaceState } from '../work/place.ts';

/** How a run stands on this machine, whatever the store believes. */
export type RunState =
  /** Nobody has started it, and whoever arbitrates for it first may. */
  | { readonly state: 'unclaimed' }
  /** Nothing of it ever ran, and nothing will: its start was cut off, or forestalled. */
  | { readonly state: 'never' }
  /** Something has begun to start it and has not said who it is yet. */
  | { readonly state: 'starting' }
  | {
      readonly state: 'alive';
      readonly identity: RunIdentity;
      /** It reads what it is told. */
      readonly listens: boolean;
      readonly outBytes: number;
      readonly errBytes: number;
      readonly ageMs?: number;
    }
  /** It was there and is gone without a word. */
  | { readonly state: 'dead'; readonly outBytes: number }
  | {
      readonly state: 'ended';
      readonly exit: number;
      readonly reason?: string | undefined;
      /** The program could not be started: it is not there, or it is none. */
      readonly isRefused?: boolean;
      /** What it took too much of, and was ended for. */
      readonly exceeded?: string | undefined;
      readonly outBytes: number;
    };

export interface RunIdentity {
  readonly boot: string;
  readonly shim: { readonly pid: number; readonly started: string };
  readonly agent: { readonly pid: number; readonly started: string };
}

/** How far the output of a run has been read. */
export interface ReadPosition {
  readonly offset: number;
  readonly skipping: boolean;
}

export interface OutputSlice {
  readonly lines: readonly { readonly text: string }[];
  readonly cursor: ReadPosition;
  /** Bytes of long lines that were passed over. */
  readonly dropped: number;
  /** There may be more to read now. */
  readonly more: boolean;
}

/** What the supervisor needs of the room that owns processes. */
export interface Runner {
  look(runId: RunId): Promise<RunState>;
  /** Whether the process that owns the run is still there; a glance, where `look` reads everything. */
  isThere(identity: RunIdentity): boolean;
  start(runId: RunId, start: RunStart): Promise<void>;
  /** Makes sure that nobody will start it any more; false when somebody has. */
  preventStart(runId: RunId): Promise<boolean>;
  /** Complete lines after the cursor, a bounded number of them. When `final`, a last line without its end counts. */
  read(runId: RunId, cursor: ReadPosition, final: boolean): Promise<OutputSlice>;
  /** Completes its input: everything before `at` is there, `tail` must be. */
  send(runId: RunId, at: number, tail: string): Promise<void>;
  /** Ends its input once it has taken all of it; false when that is not yet so. */
  closeInput(runId: RunId): Promise<boolean>;
  /** Ends its whole process tree, gently first unless at once. Resolves when nothing of it is left. Safe to call again. */
  end(runId: RunId, how?: EndHow): Promise<void>;
  /** Drops what it printed beyond this many bytes. Only for a run of which no process is left. */
  trim(runId: RunId, bytes: number): Promise<void>;
  /** From now on these runs, and no others, give a hint when something happens to them. Answers those that cannot. */
  follow(runIds: readonly RunId[]): readonly RunId[];
  /** Calls back when followed runs may have changed; a hint that is lost costs a slow look. */
  onWake(listener: (runIds: readonly RunId[]) => void): void;
  /** Processor time its process tree has used, in ticks. */
  ticks(runIds: readonly RunId[]): Promise<ReadonlyMap<RunId, number>>;
  /** Those with more processes than this, and how many. */
  crowded(runIds: readonly RunId[], most: number): Promise<ReadonlyMap<RunId, number>>;
}

export interface EndHow {
  readonly atOnce?: boolean;
  /** How long what is left of it may take to end by itself before it is told to. */
  readonly patienceMs?: number;
}

export interface RunStart {
  readonly mode: 'oneway' | 'twoway';
  readonly command: string;
  readonly args: readonly string[];
  /** What its command runs in turn. */
  readonly programs?: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** What else is to be there before it begins. */
  readonly steps: readonly FileOp[];
}

/** Everything a run needs before it can begin. */
export interface PreparedRun {
  /** What is to be laid out for it; doing it again changes nothing. */
  readonly steps: readonly FileOp[];
  readonly job: Job;
  readonly env: Readonly<Record<string, string>>;
  /** What the history of its task should say of this run. */
  readonly remark?: string | undefined;
}

/** The same start in a sandbox, or why it cannot be. */
export type Confinement = { readonly start: RunStart } | { readonly why: string };

export interface SuperviseRules {
  /** Without any sign of life for this long, a run is stalled. */
  readonly stallMs: number;
  readonly spoolBytes: number;
  /** How many processes one run may have at once. */
  readonly processes: number;
  /** How full its window may be. */
  readonly contextPercent: number;
  /** How long a task in a sandbox may run that has no timeout of its own. */
  readonly sandboxSeconds: number;
}

/** A report made of everything that was told, and what was stored of it then: what is told meanwhile must not be lost. */
export interface CollectedReport {
  readonly report: Report;
  readonly over: Version | 'absent';
}

/** Work that could not be kept: the workspace it is in was put aside whole. */
export interface UnsavedWork {
  readonly workspaceId: WorkspaceId;
  /** Where its files are. */
  readonly path: string;
  readonly why: string;
}

/** What a run leaves behind besides its output. */
export interface RunRemains {
  readonly kept?: NonNullable<Work['kept']>;
  readonly unkept?: UnsavedWork;
  /** What is said of its work in the history of the task. */
  readonly remark?: string;
  /** How the work stands: another text when it is not as it was. */
  readonly mark?: string;
  /** What it says itself of how its work went. */
  said?(watch: Watch | undefined): ClaimedResult | undefined;
  report?(watch: Watch | undefined, outcome: Outcome): CollectedReport;
}

export interface SuperviseDeps extends EngineDeps {
  /** Whether the place it is to work in is ready. */
  place(run: Run, task: Task): Promise<PlaceState>;
  /** Keeps the work of a run that has ended and collects what it reports; undefined while that still goes on. */
  preserveWork(run: Run, task: Task, ran: boolean): Promise<RunRemains | undefined>;
  /** A turn of its agent is over: what it has made is kept, beside everything else. */
  saveTurn(run: Run, task: Task): void;
  /** Takes up what it has asked on paper and left without an answer. */
  collectFinalQuestions(run: Run): Promise<void>;
  /** Calls back when something of that has ended. */
  onPreserved(listener: () => void): void;
  question(): QuestionId;
  readonly runner: Runner;
  executor(name: string): Promise<Executor | undefined>;
  prepare(run: Run, task: Task, executor: Executor): Promise<PreparedRun>;
  /** A start as it is to be where its task asks for a sandbox. */
  confine(run: Run, task: Task, start: RunStart): Promise<Confinement>;
  /** The same job again, without laying anything out. */
  job(run: Run, task: Task): Promise<Job>;
  /** When a file it works on was changed last, in milliseconds of the wall clock. */
  changedAt(run: Run, task: Task): Promise<number | undefined>;
  /** The run has ended and its task has moved: whoever keeps notes may write them now. */
  runEnded(run: Run): Promise<void>;
  rules(): SuperviseRules;
  /** What decides whether a task may be started at all. */
  startRules(): BoundSettings & Pick<Settings, 'scripted'>;
  /** What a model costs, if anybody knows. */
  price(model: string): Price | undefined;
  /** How the notes of a task stand: another text when they are not as they were. */
  notesVersion(task: Task): Promise<string>;
  /** 0 to 1, so that what failed together does not come back together. */
  jitter(): number;
  log(event: string, fields: Record<string, unknown>): void;
}
