import type { Abilities, Launch, Program } from '../../domain/agent/executor.ts';
import { Fault } from '../../domain/fault.ts';
import { asAgentEvent, isRecord } from '../agent-event.ts';
import type { AgentEvent, Executor, Step } from '../executor.ts';

/** A user's module, wherever it runs. Answers may be any value. `ask` throws if the module throws or is too slow. */
export interface CallableModule {
  /** The exports besides functions. */
  readonly facts: unknown;
  ask(name: string, ...args: readonly unknown[]): { readonly value: unknown; readonly bytes: number };
}

const ABILITIES = [
  'resume',
  'fork',
  'steer',
  'ask',
  'usage',
  'context',
  'mcp',
  'tools',
] as const satisfies readonly (keyof Abilities)[];
const FUNCTIONS = ['launch', 'begin', 'step', 'say', 'answer', 'exit'];
const largestStateBytes = 64 * 1024;

/**
 * The executor in `executors/NAME.mjs`. Every answer of the module is checked. If it fails at a line, the step says so, which ends
 * that run and no other.
 */
export function moduleExecutor(name: string, module: CallableModule): Executor {
  const facts = factsOf(`executors/${name}.mjs`, name, module.facts);
  const guarded = (state: unknown, call: string, ...args: readonly unknown[]): Step | undefined => {
    try {
      const { value, bytes } = module.ask(call, ...args);
      return value === undefined || value === null ? undefined : asStep(value, bytes);
    } catch (error) {
      return { state, events: [], send: [], failed: failure(name, call, error) };
    }
  };
  const always = (state: unknown, call: string, ...args: readonly unknown[]): Step =>
    guarded(state, call, ...args) ?? { state, events: [], send: [], failed: failure(name, call, 'it gave no step') };
  return {
    name,
    ...facts,
    launch: (job) => {
      try {
        return asLaunch(module.ask('launch', job).value);
      } catch (error) {
        throw new Fault('invalid', failure(name, 'launch', error), { executor: name }, { cause: error });
      }
    },
    begin: (job) => always(null, 'begin', job),
    step: (state, line) => always(state, 'step', state, line),
    say: (state, message) => {
      const step = guarded(state, 'say', state, message);
      // The message waits for the next run: it is no reason to lose this one.
      return step?.failed === undefined ? step : undefined;
    },
    answer: (state, request, text) => guarded(state, 'answer', state, request, text),
    exit: (state, code) => {
      try {
        return asEvents(module.ask('exit', state, code).value ?? []);
      } catch (error) {
        return [{ type: 'ended', verdict: 'errored', summary: failure(name, 'exit', error) }];
      }
    },
  };
}

const failure = (name: string, call: string, error: unknown): string =>
  `executor ${name} failed in ${call}: ${error instanceof Error ? error.message : String(error)}; see fleet executor test ${name}`;

function factsOf(file: string, name: string, facts: unknown): Pick<Executor, 'can' | 'program' | 'contextLimit'> {
  const refuse = (what: string): never => {
    throw new Fault('invalid', `${file}: ${what}`, { file });
  };
  if (!isRecord(facts)) return refuse('its default export is no object');
  if (facts['name'] !== name)
    refuse(`name is ${JSON.stringify(facts['name'])}, expected ${JSON.stringify(name)}, as the file is called`);
  const functions = Array.isArray(facts['functions']) ? facts['functions'] : [];
  const missing = FUNCTIONS.filter((word) => !functions.includes(word));
  if (missing.length > 0) refuse(`it has no function ${missing.join(', ')}`);
  const { can, contextLimit, program } = facts;
  const undeclared = ABILITIES.filter((word) => !isRecord(can) || typeof can[word] !== 'boolean');
  if (undeclared.length > 0) refuse(`can says neither true nor false about ${undeclared.join(', ')}`);
  if (contextLimit !== undefined && !(Number.isSafeInteger(contextLimit) && Number(contextLimit) > 0))
    refuse(`contextLimit is ${JSON.stringify(contextLimit)}, expected a whole number of tokens above 0`);
  const known = program === undefined ? undefined : asProgram(program);
  if (program !== undefined && known === undefined)
    refuse(
      'program needs the texts command, proved, install and login, and the lists versionArgs, keys, credentials and variables',
    );
  return {
    can: can as unknown as Abilities,
    ...(typeof contextLimit === 'number' ? { contextLimit } : {}),
    ...(known ? { program: known } : {}),
  };
}

function asProgram(raw: unknown): Program | undefined {
  if (!isRecord(raw)) return undefined;
  const texts = ['command', 'proved', 'install', 'login'].every((key) => typeof raw[key] === 'string');
  const lists = ['versionArgs', 'keys', 'credentials', 'variables'].every((key) => isTexts(raw[key]));
  return texts && lists ? (raw as unknown as Program) : undefined;
}

function asStep(raw: unknown, bytes: number): Step {
  if (!isRecord(raw)) throw new TypeError('it gives no step with state, events and send');
  const { state = null, events, send, unknown } = raw;
  if (!isTexts(send) || send.some((line) => /[\r\n]/.test(line))) throw new TypeError('send is no list of lines');
  if (bytes > largestStateBytes && JSON.stringify(state).length > largestStateBytes)
    throw new RangeError(`its state has more than ${largestStateBytes} bytes`);
  return { state, events: asEvents(events), send, ...(unknown === true ? { unknown } : {}) };
}

function asEvents(raw: unknown): AgentEvent[] {
  if (!Array.isArray(raw)) throw new TypeError('events is no list');
  return raw.map((value) => {
    const event = asAgentEvent(value);
    if (!event) throw new TypeError(`no event of Fleet's: ${JSON.stringify(value).slice(0, 200)}`);
    return event;
  });
}

function asLaunch(raw: unknown): Launch {
  if (!isRecord(raw)) throw new TypeError('it gives no launch');
  const { command, args, env, files, mode } = raw;
  if (typeof command !== 'string' || command === '') throw new TypeError('command is no program');
  if (!isTexts(args)) throw new TypeError('args is no list of texts');
  if (!isRecord(env) || !isTexts(Object.values(env))) throw new TypeError('env is no table of texts');
  if (!Array.isArray(files) || !files.every(isFile)) throw new TypeError('files is no list of plain names and texts');
  if (mode !== 'oneway' && mode !== 'twoway') throw new TypeError('mode is neither oneway nor twoway');
  return { command, args, env: env as Record<string, string>, files, mode };
}

const isFile = (file: unknown): file is Launch['files'][number] =>
  isRecord(file) && typeof file['name'] === 'string' && /^[\w-][\w.-]*$/.test(file['name']) && typeof file['text'] === 'string';

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string' && !text.includes('\0'));
