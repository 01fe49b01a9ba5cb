import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Nanos = z.string().regex(/^\d{19}$/);
const Span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(0).max(5),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
});
/** ExportTraceServiceRequest in the JSON of OTLP 1. */
const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string(), version: z.string() }), spans: z.array(Span).min(1) }),
      ),
    }),
  ),
});

export interface TakenSpan {
  readonly id: string;
  readonly traceId: string;
  readonly parent?: string | undefined;
  readonly name: string;
  readonly status: number;
  readonly ms: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** Every span that was ever taken, in order, also those told twice. */
  readonly spans: TakenSpan[];
  readonly resource: Record<string, unknown>;
  readonly requests: { readonly path: string; readonly headers: Readonly<Record<string, unknown>>; readonly status: number }[];
  /** What is wrong with what was sent. */
  readonly faults: string[];
  /** What the next requests are answered with. */
  answer: { status: number; body?: string; headers?: Record<string, string> };
}

/** A collector of OTLP over HTTP that takes nothing on trust. */
export async function collector(): Promise<Collector> {
  const seen: Omit<Collector, 'url' | keyof AsyncDisposable> = {
    spans: [],
    resource: {},
    requests: [],
    faults: [],
    answer: { status: 200 },
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { status, body = '{}', headers = {} } = seen.answer;
      seen.requests.push({ path: request.url ?? '', headers: request.headers, status });
      if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
        seen.faults.push('not JSON by POST');
      const parsed = Request.safeParse(JSON.parse(Buffer.concat(parts).toString('utf8')));
      if (!parsed.success) seen.faults.push(z.prettifyError(parsed.error));
      else if (status === 200) take(parsed.data, seen);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(seen, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function take({ resourceSpans }: z.infer<typeof Request>, seen: Pick<Collector, 'spans' | 'resource'>): void {
  for (const { resource, scopeSpans } of resourceSpans) {
    Object.assign(seen.resource, plain(resource.attributes));
    for (const { spans } of scopeSpans)
      for (const span of spans)
        seen.spans.push({
          id: span.spanId,
          traceId: span.traceId,
          parent: span.parentSpanId,
          name: span.name,
          status: span.status.code,
          ms: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n),
          attributes: plain(span.attributes),
        });
  }
}

const plain = (attributes: z.infer<typeof Attributes>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, 'intValue' in value ? Number(value.intValue) : Object.values(value)[0]]),
  );
