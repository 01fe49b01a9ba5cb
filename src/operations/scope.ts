import type { z } from 'zod';
import type { Named, OperationName } from '../contract/index.ts';
import type { Caller } from '../domain/authority.ts';
import type { Origin, Settings } from '../domain/settings.ts';
import type { ClaimId, Instant, ProjectId, QuestionId, RunId, TaskId } from '../domain/values.ts';
import type { RunLog } from '../runlog/port.ts';
import type { Store, Write } from '../store/port.ts';

/** All an operation may touch. Anything missing here is something an operation must not do. */
export interface Scope {
  readonly caller: Caller;
  readonly reads: Pick<Store, 'get' | 'scan' | 'limits'>;
  readonly texts: Pick<RunLog, 'putBlob' | 'getBlob'>;
  readonly now: Instant;
  readonly ids: Ids;
  readonly settings: SettingsPort;
  readonly places: Places;
  readonly executors: { names(): Promise<readonly string[]> };
  readonly output: Output;
  readonly home: Home;
  readonly upkeep: Upkeep;
}

export interface Ids {
  task(at?: Instant, seed?: string): TaskId;
  claim(): ClaimId;
  project(): ProjectId;
  question(): QuestionId;
}

export interface SettingView {
  readonly name: string;
  readonly value: unknown;
  readonly origin: Origin;
  readonly summary: string;
}

export interface SettingsPort {
  current(): {
    readonly values: Settings;
    readonly items: readonly SettingView[];
    readonly problem?: string | undefined;
    readonly file: string;
  };
  set(assignments: readonly string[]): Promise<void>;
}

/** What runs have printed. Everything leaves it redacted. */
export interface Output {
  read(
    runId: RunId,
    stream: 'out' | 'err',
    place: { readonly after: number; readonly lines: number; readonly final: boolean },
  ): Promise<OutputPage>;
}

export interface OutputPage {
  readonly items: readonly { readonly at: number; readonly text: string; readonly dropped?: number }[];
  readonly next: number;
}

/** What the file system says about a directory. */
export type Place =
  | {
      readonly kind: 'repository' | 'bare';
      readonly path: string;
      readonly branch?: string | undefined;
      readonly hasCommit: boolean;
    }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'unusable'; readonly path: string; readonly why: string };

export interface Places {
  /** Follows links, finds the repository a directory belongs to. Never throws for what a person may have typed. */
  inspect(path: string): Promise<Place>;
  /** The real path, or undefined when nothing is there. */
  real(path: string): Promise<string | undefined>;
}

export interface Home {
  readonly path: string;
  /** Makes what is missing; says what it made. */
  init(): Promise<readonly string[]>;
  /** Who runs the engine of this home, if anybody does. */
  engine(): Promise<{ readonly host: string; readonly pid: number; readonly since: Instant } | undefined>;
}

/** The care of the database itself. */
export interface Upkeep {
  migrate(): Promise<{ file: string; schema: number }>;
  check(): Promise<{ file: string; ok: boolean; rows: number; findings: string[] }>;
  backup(target: string | undefined): Promise<{ file: string; bytes: number; blobs: number }>;
  restore(source: string): Promise<{ file: string; kept?: string; rows: number }>;
  export(target: string): Promise<{ file: string; rows: number }>;
  prune(olderThanDays: number, dryRun: boolean): Promise<{ tasks: number; requests: number; blobs: number }>;
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
    input: z.output<Named<Name>['input']>,
    scope: Scope,
  ) => Promise<Plan<z.input<Named<Name>['output']>>>;
};
