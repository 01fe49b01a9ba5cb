import type { Duplex } from 'node:stream';
import { LIMITS } from '../../domain/limits.ts';
import type { EventBatch } from './batch.ts';

export type StreamEnd = 'stopping' | 'lagging' | 'unauthenticated' | 'over' | 'failed';

/** The way to one client, whichever form its events take. */
export interface Wire {
  readonly socket: Duplex;
  write(batch: Pick<EventBatch, 'sse' | 'socket'>): void;
  beat(): void;
  /** Says why and ends; what does not end by itself is cut off. */
  end(why: StreamEnd): void;
}

/** A wire with a memory for how much of what was written the client has not taken up. */
export class Pipe {
  readonly #wire: Wire;
  readonly #elapsed: () => number;
  #fullSince: number | undefined;
  #closed = false;
  readonly #waiting = new Set<() => void>();

  constructor(wire: Wire, elapsed: () => number) {
    this.#wire = wire;
    this.#elapsed = elapsed;
    wire.socket.on('drain', () => this.#wake());
    wire.socket.once('close', () => this.#close());
  }

  readonly send = (batch: Pick<EventBatch, 'sse' | 'socket'>): void => {
    if (!this.#closed) this.#wire.write(batch);
  };

  readonly isFull = (): boolean => {
    const full = this.#wire.socket.writableLength > LIMITS.liveBufferBytes.value;
    if (full) this.#fullSince ??= this.#elapsed();
    return full;
  };

  /** Resolves when the client has taken up what was written, or is gone. */
  readonly drained = async (): Promise<void> => {
    while (!this.#closed && this.isFull()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  };

  /** How long it has taken up too little, in milliseconds. */
  stalledMs(): number {
    return this.#fullSince === undefined ? 0 : this.#elapsed() - this.#fullSince;
  }

  beat(): void {
    // A beat would only wait behind everything else.
    if (!this.#closed && !this.isFull()) this.#wire.beat();
  }

  end(why: StreamEnd): void {
    if (!this.#closed) this.#wire.end(why);
  }

  cut(): void {
    this.#wire.socket.destroy();
  }

  #close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    this.#fullSince = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
