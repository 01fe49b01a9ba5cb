import type { DiskShortage, FullDisk } from '../domain/hold/disk-room.ts';
import type { Capacity } from '../domain/hold/hold.ts';
import type { FormerHost } from '../domain/host.ts';
import type { Failover } from '../domain/task/failover.ts';
import type { Lane } from '../domain/task/lane.ts';
import type { Task } from '../domain/task/task.ts';
import type { Instant, RunId } from '../domain/values.ts';
import type { Store } from '../store/port.ts';
import type { CommitFeed } from './commit-feed.ts';

/** What a task runs with when it names no executor. */
export interface ExecutorDefaults {
  readonly executor: string;
  readonly model?: string | undefined;
  readonly effort?: Task['effort'];
}

/** What the engine needs from the house; `app` supplies it. */
export interface EngineDeps {
  readonly store: Store;
  /** What happens to the store. Without it nobody tells, and every look is at the rows themselves. */
  readonly commitFeed?: CommitFeed;
  /** For who states in the commit that follows what it believes of each row: what the engine knows of it by itself. */
  readonly known?: Pick<Store, 'get'>;
  /**
   * Claims and endings change the same limits. Those of one engine go one after the other: they would only make each other's
   * beliefs false.
   */
  readonly serialized?: <Result>(work: () => Promise<Result>) => Promise<Result>;
  now(): Instant;
  /** Milliseconds on a clock that never jumps. */
  elapsed(): number;
  readonly ids: { run(): RunId };
  /** The id under which this engine claims. */
  readonly host: string;
  /** What people call this machine, for the history of things. */
  readonly hostName: string;
  /** Ids under which rows of this home may still stand. */
  readonly formerHosts?: readonly FormerHost[];
  /** The limits in force now, with project limits by id. */
  capacity(): Promise<Capacity>;
  /** Executor, model and effort of a task that names none. */
  defaults(projectId: string | undefined): Promise<ExecutorDefaults>;
  /** Whether this host can start such work now. What it cannot start it never claims. */
  startable(): Promise<(work: Pick<Lane, 'executor' | 'placement'>) => boolean>;
  /** What a person has changed about a task outside of Fleet, in its notes. */
  edits(task: Task): Promise<Partial<Pick<Task, 'directory' | 'executors' | 'model'>>>;
  /** What becomes of a task whose executor is paused, when it does not say so itself. */
  failover(): Failover;
  /** Tells whenever the settings have changed: what they limit may have room now. */
  onSettings?(changed: () => void): void;
  /** Where there is too little room on a disk for anything new. As it was a moment ago: it is asked for often. */
  diskShort(): Promise<DiskShortage | undefined>;
  /** When a disk that runs write to was last seen full, now included. */
  diskFull(): Promise<FullDisk | undefined>;
  /** How many more runs this host takes. */
  roomHere(): Promise<number>;
}
