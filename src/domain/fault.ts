/** Every refusal a caller can expect. Each surface maps all of them; adding one breaks the build until it does. */
export const FAULT_CODES = ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'limit', 'unavailable'] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

const MARK = Symbol.for('fleet.fault');

/**
 * An expected refusal: the caller did nothing impossible, the answer is no.
 * Bugs are plain errors. A failed run is neither: it is an outcome, stored as data.
 */
export class Fault extends Error {
  /** By a mark and not by its class: the program is built from parts that each have a copy of this file. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  readonly [MARK] = true;
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: FaultCode, message: string, details: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

export const isFault = (error: unknown, code?: FaultCode): error is Fault =>
  error instanceof Fault && (code === undefined || error.code === code);
