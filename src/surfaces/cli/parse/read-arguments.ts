import { resolve } from 'node:path';
import { Command as Parser } from 'commander';
import { Fault } from '../../../domain/fault.ts';
import type { Command, CommandValue } from '../command.ts';
import { GLOBAL_FLAGS, type Globals, KEY_FLAG, unknownFlag } from './globals.ts';
import { readValue } from './read-value.ts';

export interface CliArguments {
  readonly globals: Pick<Globals, 'json' | 'help' | 'home' | 'key'>;
  /** Fields of the operation's input. */
  readonly input: Record<string, unknown>;
  /** Values for the flow alone, by name. */
  readonly local: Record<string, unknown>;
}

/** Reads what follows the words of a command. */
export function readArguments(command: Command, argv: readonly string[], cwd: string): CliArguments {
  const parser = parserOf(command);
  refuseSwallowedFlags(command, argv);
  const { operands, unknown } = parser.parseOptions([...argv]);
  if (unknown[0] !== undefined) throw unknownFlag(unknown[0], knownFlags(command), `fleet ${command.path.join(' ')} --help`);
  const typed = parser.opts<Record<string, readonly string[] | boolean | undefined>>();
  const globals = globalsOf(typed, cwd);
  const found: Pick<CliArguments, 'input' | 'local'> = { input: {}, local: {} };
  if (globals.help) return { globals, ...found };

  const put = (value: CommandValue, read: unknown) => {
    (value.local ? found.local : found.input)[value.field] = read;
  };
  for (const flag of command.flags) readFlag(flag, typed[flag.field], cwd, put);
  readPositionals(command, operands, cwd, put);
  return { globals, ...found };
}

function readFlag(flag: CommandValue, typed: readonly string[] | boolean | undefined, cwd: string, put: Put): void {
  if (typed === undefined) {
    if (flag.required) throw new Fault('invalid', `--${flag.name} is needed: ${flag.description}`, { field: flag.field });
    return;
  }
  if (typeof typed === 'boolean') return put(flag, typed);
  const values = typed.map((raw) => readValue(flag, `--${flag.name}`, raw, cwd));
  put(flag, flag.repeated ? values : values.at(-1));
}

type Put = (value: CommandValue, read: unknown) => void;

function readPositionals({ path, positionals }: Command, operands: readonly string[], cwd: string, put: Put): void {
  const takesMany = positionals.at(-1)?.repeated ?? false;
  if (operands.length > positionals.length && !takesMany) {
    const extra = operands.slice(positionals.length).map((word) => JSON.stringify(word));
    throw new Fault('invalid', `too many arguments: ${extra.join(' ')}`, {
      hint: `text of several words needs quotes; see fleet ${path.join(' ')} --help`,
    });
  }
  positionals.forEach((place, index) => {
    const given = place.repeated ? operands.slice(index) : operands.slice(index, index + 1);
    if (given.length === 0) {
      if (!place.required) return;
      throw new Fault('invalid', `${place.name} is missing: ${place.description}`, {
        hint: `see fleet ${path.join(' ')} --help`,
        field: place.field,
      });
    }
    const values = given.map((raw) => readValue(place, place.name, raw, cwd));
    put(place, place.repeated ? values : values[0]);
  });
}

/** Values are collected raw, so that one place decides what they mean. */
function parserOf(command: Command): Parser {
  const parser = new Parser().helpOption(false).exitOverride();
  const collect = (raw: string, before: readonly string[] | undefined) => [...(before ?? []), raw];
  for (const flag of command.flags) {
    if (flag.type !== 'boolean') parser.option(`--${flag.name} <value>`, '', collect);
    else parser.option(`--${flag.name}`);
    if (flag.negatable) parser.option(`--no-${flag.name}`);
  }
  for (const flag of globalFlags(command)) {
    const spelling = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`;
    if (flag.value !== undefined) parser.option(`${spelling} <value>`, '', collect);
    else parser.option(spelling);
  }
  return parser;
}

function globalsOf(typed: Record<string, readonly string[] | boolean | undefined>, cwd: string): CliArguments['globals'] {
  const last = (name: string) => {
    const value = typed[name];
    return typeof value === 'object' ? value.at(-1) : undefined;
  };
  const home = last('home');
  const key = last('key');
  if (home === '') throw new Fault('invalid', '--home needs a value');
  return {
    json: typed['json'] === true,
    help: typed['help'] === true,
    ...(home !== undefined && { home: resolve(cwd, home) }),
    ...(key !== undefined && { key }),
  };
}

type GlobalFlag = (typeof GLOBAL_FLAGS)[number];
export const globalFlags = ({ kind }: Command): readonly GlobalFlag[] =>
  kind === 'command' ? [KEY_FLAG, ...GLOBAL_FLAGS] : GLOBAL_FLAGS;

export const knownFlags = (command: Command): string[] => [
  ...command.flags.flatMap(({ name, negatable }) => (negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`])),
  ...globalFlags(command).map(({ name }) => `--${name}`),
];

/** `--prompt --project site`: a forgotten value must not swallow the next flag. `--prompt=--project` says it on purpose. */
function refuseSwallowedFlags(command: Command, argv: readonly string[]): void {
  const takesValue = new Set([
    ...command.flags.filter(({ type }) => type !== 'boolean').map(({ name }) => `--${name}`),
    ...globalFlags(command)
      .filter(({ value }) => value !== undefined)
      .map(({ name }) => `--${name}`),
  ]);
  const known = new Set(knownFlags(command));
  for (let at = 0; at < argv.length && argv[at] !== '--'; at++) {
    const flag = argv[at] ?? '';
    if (!takesValue.has(flag)) continue;
    const value = argv[++at];
    if (value === undefined) throw new Fault('invalid', `${flag} needs a value`);
    if (known.has(value.split('=', 1)[0] ?? '')) {
      throw new Fault('invalid', `${flag} needs a value, and ${value} is a flag`, {
        hint: `if you mean that text, write ${flag}=${value}`,
      });
    }
  }
}
