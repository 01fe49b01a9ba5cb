import type { OtelSettings } from './otel-settings.ts';
import { otlpBody, type TraceSpan } from './span.ts';

/** What became of one request: taken, to be tried again, or refused for good. */
export type Sent =
  | { readonly state: 'taken'; readonly rejected: number }
  | { readonly state: 'later'; readonly why: string; readonly afterMs?: number }
  | { readonly state: 'refused'; readonly why: string };

/** Codes with which a collector asks for another try. */
const AGAIN: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const LONGEST_WAIT_MS = 300_000;
const ANSWER_BYTES = 64 * 1024;

/** Hands spans to a collector, once, within the time limit. */
export async function sendSpans(
  spans: readonly TraceSpan[],
  { url, headers, timeoutMs, resource }: OtelSettings,
  version: string,
  stopping?: AbortSignal,
): Promise<Sent> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'user-agent': `fleet/${version}`, ...headers, 'content-type': 'application/json' },
      body: otlpBody(spans, resource, version),
      redirect: 'error',
      signal: stopping ? AbortSignal.any([late, stopping]) : late,
    });
    const text = await shortText(answer);
    if (answer.ok) return { state: 'taken', rejected: rejectedIn(text) };
    const why = `the collector answered ${answer.status}`;
    if (!AGAIN.has(answer.status)) return { state: 'refused', why };
    return { state: 'later', why, ...waitOf(answer.headers.get('retry-after')) };
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { state: 'later', why: code ?? message };
  }
}

function waitOf(said: string | null): { afterMs?: number } {
  const seconds = Number(said);
  return said !== null && Number.isFinite(seconds) && seconds >= 0 ? { afterMs: Math.min(seconds * 1_000, LONGEST_WAIT_MS) } : {};
}

async function shortText(answer: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    if (text.length > ANSWER_BYTES) break;
  }
  return text;
}

/** A collector may take some of them and say how many it did not. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
