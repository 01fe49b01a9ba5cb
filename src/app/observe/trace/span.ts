import { createHash } from 'node:crypto';
import { type Instant, msOf } from '../../../domain/values.ts';

/** One span, as it is told. Its ids follow from what it is about: told twice, it is the same span. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string | undefined;
  readonly name: 'task' | 'run' | 'turn' | 'merge';
  readonly from: Instant;
  readonly to: Instant;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Absent: nobody judged it. */
  readonly ok?: boolean | undefined;
  readonly why?: string | undefined;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export const traceIdOf = (taskId: string): string => digest(`trace ${taskId}`).slice(0, 32);
export const spanIdOf = (...of: readonly (string | number)[]): string => digest(`span ${of.join(' ')}`).slice(0, 16);

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The body of one request, in OTLP's JSON: ids in hexadecimal, 64-bit numbers as text. */
export const otlpBody = (spans: readonly TraceSpan[], resource: Readonly<Record<string, string>>, version: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: pairsOf(resource) },
        scopeSpans: [{ scope: { name: 'fleet', version }, spans: spans.map(encoded) }],
      },
    ],
  });

const INTERNAL = 1;
const STATUS = { unset: 0, ok: 1, error: 2 };

function encoded({ traceId, spanId, parentId, name, from, to, attributes, ok, why }: TraceSpan): object {
  const [start, end] = [msOf(from), msOf(to)];
  const code = ok === undefined ? STATUS.unset : ok ? STATUS.ok : STATUS.error;
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(start),
    // The clock of the wall may have been set back in between.
    endTimeUnixNano: nanos(Math.max(start, end)),
    attributes: pairsOf(attributes),
    status: { code, ...(ok === false && why !== undefined ? { message: why } : {}) },
  };
}

const nanos = (ms: number): string => `${ms}000000`;

const pairsOf = (attributes: TraceSpan['attributes']): Pair[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));

function valueOf(value: string | number | boolean): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
