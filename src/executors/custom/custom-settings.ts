import { parse, TomlError } from 'smol-toml';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { VariableName } from '../../domain/values.ts';
import { isSecretName } from '../../redact/redactor.ts';
import { refuseCode } from './code-arguments.ts';
import { type EventRule, parseRule } from './event-rules.ts';
import { checkTemplate } from './template.ts';
import { oneOf, refuse, refuseUnknown, type TomlPlace, tableOf } from './toml-values.ts';

export interface CustomSettings {
  readonly program: string;
  readonly args: readonly string[];
  readonly output: 'text' | 'jsonl';
  readonly mode: 'oneway' | 'twoway';
  readonly env: Readonly<Record<string, string>>;
  /** The user's variables that reach the program although they belong to a provider. */
  readonly envAllow: readonly string[];
  readonly contextLimit: number | undefined;
  /** Arguments that print the program's version; absent: the program is never started for that. */
  readonly versionArgs?: readonly string[];
  readonly rules: readonly EventRule[];
  /** Settings of a program that speaks the Agent Client Protocol. */
  readonly acp?: AcpSettings;
}

export interface AcpSettings {
  readonly resume: boolean;
  readonly fork: boolean;
  readonly steer: boolean;
  /** Whether the program asks permission for every tool call. */
  readonly asks: boolean;
  readonly login: string;
}

const keys = ['command', 'output', 'mode', 'env', 'env_allow', 'context_limit', 'events', 'protocol', 'version'];
const acpKeys = [
  'command',
  'env',
  'env_allow',
  'context_limit',
  'protocol',
  'version',
  'resume',
  'fork',
  'steer',
  'asks',
  'login',
];
const mostRules = 100;
const mostNames = 100;

/** Parses `executors/NAME.toml`. Throws a Fault that names the key, what was seen and what was expected. */
export function parseCustomSettings(file: string, text: string): CustomSettings {
  const table = parsed(file, text);
  const at = (key: string): TomlPlace => ({ file, key });
  const isAcp = table['protocol'] !== undefined && oneOf(table['protocol'], ['acp'], at('protocol')) === 'acp';
  refuseUnknown(table, isAcp ? acpKeys : keys, { file, key: '' });
  const [program, ...args] = command(table['command'], at('command'));
  const output = oneOf(table['output'] ?? 'text', ['text', 'jsonl'], at('output'));
  const rules = eventRules(table['events'] ?? [], at('events'));
  if (rules.length > 0 && output === 'text') refuse(at('output'), output, '"jsonl", because there are events');
  return {
    program,
    args,
    output,
    mode: oneOf(table['mode'] ?? 'oneway', ['oneway', 'twoway'], at('mode')),
    env: environment(table['env'] ?? {}, at('env')),
    envAllow: allowed(table['env_allow'] ?? [], at('env_allow')),
    contextLimit: contextLimit(table['context_limit'], at('context_limit')),
    rules,
    ...(table['version'] === undefined ? {} : { versionArgs: versionArgs(table['version'], at('version')) }),
    ...(isAcp ? { acp: acpSettings(table, program, at) } : {}),
  };
}

function acpSettings(table: Readonly<Record<string, unknown>>, program: string, at: (key: string) => TomlPlace): AcpSettings {
  const flag = (key: string, otherwise: boolean): boolean => {
    const value = table[key] ?? otherwise;
    return typeof value === 'boolean' ? value : refuse(at(key), value, 'true or false');
  };
  const login = table['login'] ?? program;
  return {
    resume: flag('resume', true),
    fork: flag('fork', false),
    steer: flag('steer', false),
    asks: flag('asks', false),
    login: typeof login === 'string' ? login : refuse(at('login'), login, 'the command that signs in, as a text'),
  };
}

function parsed(file: string, text: string): Readonly<Record<string, unknown>> {
  const most = LIMITS.settingsBytes.value;
  if (Buffer.byteLength(text) > most) throw new Fault('limit', `${file} is longer than ${most} bytes`, { file, most });
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ''] = error.message.split('\n', 1);
    const why = what.replace(/^Invalid TOML document: /, '');
    throw new Fault('invalid', `${file} line ${error.line}: not good TOML: ${why}`, { file, line: error.line }, { cause: error });
  }
}

function command(value: unknown, place: TomlPlace): readonly [string, ...string[]] {
  const expected = 'a list of texts: the program and its arguments, such as ["prog", "{prompt}"]';
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'string' && !part.includes('\0'))) {
    return refuse(place, value, expected);
  }
  const [program, ...args] = value as string[];
  if (!program) return refuse(place, value, expected);
  if (args.length > LIMITS.argsPerTask.value) return refuse(place, value, `at most ${LIMITS.argsPerTask.value} arguments`);
  if (/[{}]/.test(program)) return refuse(place, value, 'the name of a program first, without placeholders');
  args.forEach((arg, index) => checkTemplate(arg, { ...place, key: `${place.key}[${index + 1}]` }));
  refuseCode([program, ...args], place);
  return [program, ...args];
}

const mostVersionArgs = 8;

function versionArgs(value: unknown, place: TomlPlace): readonly string[] {
  const isGood =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= mostVersionArgs &&
    value.every((arg) => typeof arg === 'string' && arg !== '' && !arg.includes('\0'));
  return isGood ? value : refuse(place, value, 'the arguments for which the program prints its version, such as ["--version"]');
}

function environment(value: unknown, place: TomlPlace): Readonly<Record<string, string>> {
  const entries = Object.entries(tableOf(value, place));
  return Object.fromEntries(entries.map(([name, text]) => variable(name, text, { ...place, key: `env.${name}` })));
}

/** Checks one variable. Keys of providers come from the user's environment or log-in, never from this file. */
function variable(name: string, value: unknown, place: TomlPlace): [string, string] {
  if (typeof value !== 'string' || value.includes('\0')) return refuse(place, value, 'a text');
  if (!/^[A-Za-z_]\w*$/.test(name)) return refuse(place, value, 'a name of letters, digits and _');
  if (name.startsWith('FLEET_')) return refuse(place, value, 'another name: those that start with FLEET_ are set by Fleet');
  if (isSecretName(name)) return refuse(place, '…', `no secret here: set ${name} in the environment in which fleet up runs`);
  checkTemplate(value, place);
  return [name, value];
}

function allowed(value: unknown, place: TomlPlace): readonly string[] {
  const isList = Array.isArray(value) && value.length <= mostNames;
  const isGood = isList && value.every((name) => VariableName.safeParse(name).success);
  return isGood ? value : refuse(place, value, `at most ${mostNames} names of variables, such as ["OPENAI_*"]`);
}

function contextLimit(value: unknown, place: TomlPlace): number | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
    ? value
    : refuse(place, value, 'a whole number of tokens above 0');
}

function eventRules(value: unknown, place: TomlPlace): readonly EventRule[] {
  if (!Array.isArray(value)) return refuse(place, value, 'rules, each under a line [[events]]');
  if (value.length > mostRules) return refuse(place, value.length, `at most ${mostRules} rules`);
  return value.map((rule, index) => parseRule(rule, { ...place, key: `events[${index + 1}]` }));
}
