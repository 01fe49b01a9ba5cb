import type { AgentEvent, Executor } from '../../domain/agent/executor.ts';
import { recordIn } from '../agent-event.ts';
import { textOf } from './fields.ts';
import { type ClaudeEngine, interactiveOf, launchOf } from './launch.ts';
import { READERS } from './lines.ts';
import { claudeProgram } from './program.ts';
import { answered } from './requests.ts';
import { asState, type ClaudeState, type UsageSinceResult } from './state.ts';
import { uuidOf } from './uuid.ts';

/** The most messages that may be sent and not taken up yet; further ones wait. */
const MOST_UNHEARD = 50;

/**
 * Claude Code, two-way, by lines of JSON. Both engines use the same lines: the SDK starts the same program and passes on its
 * output.
 */
export const claude = (engine: ClaudeEngine): Executor => ({
  name: 'claude',
  can: { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: true },
  program: claudeProgram,

  launch: (job) => launchOf(engine, job),
  interactive: (job, conversation) => interactiveOf(engine, job, conversation),

  begin: (job) => ({
    state: { run: job.runId, ...(job.tools ? { tools: job.tools } : {}), unheard: [], pending: [] } satisfies ClaudeState,
    events: [],
    send: [userLine(job.prompt, uuidOf(`${job.runId}.0`))],
  }),

  step: (state, line) => {
    const read = recordIn(line);
    const reader = READERS.get(textOf(read?.['type']) ?? '');
    if (read && reader) return reader(asState(state), read);
    return { state, events: [], send: [], ...(line.trim() === '' ? {} : { unknown: true }) };
  },

  say: (state, { n, text }) => {
    const now = asState(state);
    if (now.isOver || now.unheard.length >= MOST_UNHEARD) return undefined;
    const id = uuidOf(`${now.run}.${n}`);
    return {
      state: { ...now, unheard: [...now.unheard, { n, id }] } satisfies ClaudeState,
      events: [],
      send: [userLine(text, id)],
    };
  },

  answer: (state, request, text) => answered(asState(state), request, text),

  // A program that exits without taking up the last message ends with its last result. Usage without a result still counts.
  exit: (state) => {
    const { held, isOver, since } = asState(state);
    return [...(since ? [spentSince(since)] : []), ...(held && !isOver ? [{ type: 'ended' as const, ...held }] : [])];
  },
});

const userLine = (text: string, uuid: string): string =>
  JSON.stringify({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, uuid });

const spentSince = ({ inputTokens, outputTokens, cachedTokens, model }: UsageSinceResult): AgentEvent => ({
  type: 'spent',
  inputTokens,
  outputTokens,
  cachedTokens,
  ...(model === '' ? {} : { model }),
});
