export interface Pulse {
  readonly bytes: number;
  readonly ticks: number;
  readonly at: number;
}

/** What one supervisor remembers between its turns. None of it is needed for being right after a restart. */
export interface Memory {
  /** Runs whose processes are being ended. */
  readonly ladders: Map<string, Promise<void>>;
  /** Runs of which no process is left. */
  readonly swept: Set<string>;
  /** When the time a run has taken was last written down. */
  readonly seenAt: Map<string, number>;
  readonly pulses: Map<string, Pulse>;
}

export const newMemory = (): Memory => ({ ladders: new Map(), swept: new Set(), seenAt: new Map(), pulses: new Map() });
