/** Every refusal a caller can expect. Each surface maps all codes; a new code breaks the build until it is mapped. */
export const FAULT_CODES = ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'limit', 'unavailable'] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

const MARK = Symbol.for('fleet.fault');

/**
 * An expected refusal: the request was well formed, and the answer is no.
 * Bugs are plain errors. A failed run is neither: its outcome is stored as data.
 */
export class Fault extends Error {
  /** Checks a marker, not the class: the build has several bundles, each with its own copy of this class. */
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
