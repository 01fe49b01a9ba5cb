import type { Watch } from '../../domain/run/run.ts';
import { Setbacks } from '../work/setbacks.ts';
import type { RunState, SuperviseDeps } from './deps.ts';
import { LiveRuns } from './live-runs.ts';

export interface RunPulse {
  readonly bytes: number;
  /** Processor time used, and when that was asked for. */
  readonly ticks: number;
  readonly ticksAt: number;
  /** The last sign of life, and the last that was more than use of the processor. */
  readonly at: number;
  readonly spokeAt: number;
}

export interface FileCheck {
  readonly at: number;
  readonly isLooking: boolean;
  readonly newest: number | undefined;
}

/** What one supervisor remembers between its turns. None of it is needed for being right after a restart. */
export interface SuperviseMemory {
  readonly picture: LiveRuns;
  /** Runs that could not be started or finished, and are tried again later. */
  readonly setbacks: Setbacks;
  /** Runs of which not all can be read, and why: they end without. */
  readonly unfinished: Map<string, string>;
  /** What was last seen of a run on this machine, and when. */
  readonly looks: Map<string, Looked>;
  /** Runs to which something may have happened since. */
  readonly hinted: Set<string>;
  /** Runs whose processes are being ended. */
  readonly ladders: Map<string, Promise<void>>;
  /** Notes being written of runs that have ended. */
  readonly notes: Set<Promise<void>>;
  /** Runs of which no process is left. */
  readonly swept: Set<string>;
  /** Runs whose input has been ended. */
  readonly hungUp: Set<string>;
  /** When the time a run has taken was last written down. */
  readonly seenAt: Map<string, number>;
  readonly pulses: Map<string, RunPulse>;
  /** When the runs were last looked at. */
  lookedAt: number | undefined;
  /** When processor time was last asked for. */
  ticksAt: number;
  /** Looks at the files of silent runs, and the newest change they found. */
  readonly files: Map<string, FileCheck>;
  /** What has been read of a run beyond the row of that version, and is not worth a commit yet. */
  readonly ahead: Map<string, { readonly version: string; readonly watch: Watch }>;
}

export interface Looked {
  readonly look: RunState;
  readonly at: number;
  /** When its process was last seen to be there. */
  readonly thereAt: number;
}

export const newSuperviseMemory = (needs: SuperviseDeps): SuperviseMemory => ({
  picture: new LiveRuns(needs),
  setbacks: new Setbacks('supervise', needs),
  unfinished: new Map(),
  looks: new Map(),
  hinted: new Set(),
  ladders: new Map(),
  notes: new Set(),
  swept: new Set(),
  hungUp: new Set(),
  seenAt: new Map(),
  pulses: new Map(),
  lookedAt: undefined,
  ticksAt: Number.NEGATIVE_INFINITY,
  files: new Map(),
  ahead: new Map(),
});
