import { Fault } from '../../domain/fault.ts';
import { Name } from '../../domain/values.ts';
import { isRecord, recordIn } from '../agent-event.ts';
import type { AgentEvent, Executor, Step } from '../executor.ts';
import { acpOf } from './acp.ts';
import { type CustomSettings, parseCustomSettings } from './custom-settings.ts';
import { eventsIn } from './event-rules.ts';
import { carriesPrompt, environmentOf, filledArguments } from './template.ts';

/** The most open requests of one run; further ones are dropped. */
const mostPending = 100;
const summaryCharacters = 500;

interface State {
  readonly pending: readonly string[];
  /** The last words: the summary of a program that reports its end by its exit only. */
  readonly said: string;
  readonly ended: boolean;
}

const fresh: State = { pending: [], said: '', ended: false };

/** The executor that `executors/NAME.toml` describes. Throws a Fault that says which key is wrong, and how. */
export function parseCustomExecutor(name: string, tomlText: string): Executor {
  const file = `executors/${name}.toml`;
  if (!Name.safeParse(name).success) throw new Fault('invalid', `${file}: its name is no name of an executor`, { file });
  const settings = parseCustomSettings(file, tomlText);
  if (settings.acp) return acpOf(name, settings, settings.acp);
  const rulesOf = (type: AgentEvent['type']): boolean => settings.rules.some((rule) => rule.type === type);
  const reads = settings.mode === 'twoway';
  return {
    name,
    can: {
      resume: false,
      fork: false,
      steer: reads,
      ask: reads && rulesOf('asked'),
      usage: rulesOf('spent'),
      context: rulesOf('context'),
      mcp: settings.args.some((arg) => arg.includes('{mcp_config}')),
      tools: false,
    },
    ...(settings.output === 'text' ? { prints: 'text' as const } : {}),
    ...(settings.envAllow.length === 0 ? {} : { variables: settings.envAllow }),
    ...(settings.contextLimit === undefined ? {} : { contextLimit: settings.contextLimit }),
    ...(settings.versionArgs ? { versionArgs: settings.versionArgs } : {}),
    launch: (job) => ({
      command: settings.program,
      args: [...filledArguments(settings.args, job), ...job.extraArgs],
      env: environmentOf(settings.env, job),
      files: [],
      mode: settings.mode,
    }),
    begin: ({ prompt }) => {
      const isTold = [...settings.args, ...Object.values(settings.env)].some(carriesPrompt);
      return { state: fresh, events: [], send: reads && !isTold ? [messageLine(settings, 0, prompt)] : [] };
    },
    step: (state, line) => (settings.output === 'text' ? spoken(asState(state), line) : mapped(settings, state, line)),
    say: (state, { n, text }) => (reads ? { state, events: [], send: [messageLine(settings, n, text)] } : undefined),
    answer: (state, request, text) => {
      const { pending, ...rest } = asState(state);
      if (!reads || !pending.includes(request)) return undefined;
      const left = { ...rest, pending: pending.filter((other) => other !== request) } satisfies State;
      return { state: left, events: [], send: [JSON.stringify({ type: 'answer', request, text })] };
    },
    exit: (state, code) => {
      const { ended, said } = asState(state);
      return code !== 0 || ended || rulesOf('ended') ? [] : [{ type: 'ended', verdict: 'succeeded', summary: said }];
    },
  };
}

const messageLine = ({ output }: CustomSettings, n: number, text: string): string =>
  output === 'text' ? text.replaceAll(/[\r\n]+/g, ' ') : JSON.stringify({ type: 'message', n, text });

const spoken = (state: State, text: string): Step => ({
  state: text.trim() === '' ? state : { ...state, said: text.slice(0, summaryCharacters) },
  events: [{ type: 'said', text }],
  send: [],
});

function mapped({ rules, mode }: CustomSettings, raw: unknown, line: string): Step {
  const record = recordIn(line);
  const found = record ? eventsIn(rules, record) : [];
  if (found.length === 0) return { state: raw, events: [], send: [] };
  let state = asState(raw);
  const events = found.filter((event) => {
    const isNew = event.type !== 'asked' || (mode === 'twoway' && isAskable(state, event.request));
    if (isNew) state = followed(state, event);
    return isNew;
  });
  return { state, events, send: [] };
}

const isAskable = ({ pending }: State, request: string): boolean => !pending.includes(request) && pending.length < mostPending;

function followed(state: State, event: AgentEvent): State {
  if (event.type === 'asked') return { ...state, pending: [...state.pending, event.request] };
  if (event.type === 'said') return { ...state, said: event.text.slice(0, summaryCharacters) };
  return event.type === 'ended' ? { ...state, ended: true } : state;
}

/** The value as a state. Invalid fields of another version are replaced by fresh ones. */
function asState(state: unknown): State {
  if (!isRecord(state)) return fresh;
  const { pending, said, ended } = state;
  return {
    pending: Array.isArray(pending) ? pending.filter((request) => typeof request === 'string') : [],
    said: typeof said === 'string' ? said : '',
    ended: ended === true,
  };
}
