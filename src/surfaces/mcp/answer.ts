import { isFault } from '../../domain/fault.ts';
import { ADVICE } from './advice.ts';
import type { Tool, ToolContext } from './tool.ts';

/** Where bugs are told. */
export interface BugLog {
  id(): string;
  log(event: string, fields: Record<string, unknown>): void;
}

interface Answer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  readonly _meta?: Record<string, unknown>;
  // The protocol lets results carry more.
  readonly [more: string]: unknown;
}

/**
 * A refusal is an answer that the model reads. Its structured form stands under `_meta`, because clients of the first
 * generation hold structured content against the schema of a success, also in a refusal.
 */
export async function answerOf(tool: Tool, input: unknown, asked: ToolContext, { id, log }: BugLog): Promise<Answer> {
  try {
    const { text, data } = await tool.run(input, asked);
    return { content: [{ type: 'text', text }], structuredContent: data as Record<string, unknown> };
  } catch (error) {
    if (asked.signal.aborted) throw error;
    if (isFault(error)) {
      const { code, message, details } = error;
      const hint = typeof details['hint'] === 'string' ? ` (${details['hint']})` : '';
      return refused(`Refused, ${code}: ${message}${hint}\n${ADVICE[code]}`, { code, message, details, advice: ADVICE[code] });
    }
    const number = id();
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    log('mcp.bug', { id: number, tool: tool.name, message, stack });
    return refused(`This is a fault in Fleet, not in your request (${number} in its log). Tell the user.`, {
      code: 'bug',
      message: 'a fault in Fleet',
      id: number,
    });
  }
}

const refused = (text: string, fault: Record<string, unknown>): Answer => ({
  content: [{ type: 'text', text }],
  isError: true,
  _meta: { 'fleet/fault': fault },
});
