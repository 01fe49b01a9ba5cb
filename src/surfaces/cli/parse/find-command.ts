import { Fault } from '../../../domain/fault.ts';
import { nearest } from '../../../platform/nearest.ts';
import type { Command, CommandTable } from '../command.ts';

export type FoundCommand =
  | { readonly kind: 'command'; readonly command: Command; readonly rest: readonly string[] }
  | { readonly kind: 'noun'; readonly noun: string; readonly rest: readonly string[] }
  | { readonly kind: 'program'; readonly name: string; readonly rest: readonly string[] };

/** Words that are handled before any command. */
export const BUILT_IN = ['help', 'completion'] as const;

export function findCommand(
  table: CommandTable,
  programs: readonly string[],
  [first = '', ...rest]: readonly string[],
): FoundCommand {
  const [word = ''] = rest;
  const pair = `${first} ${word}`;
  if (programs.includes(pair)) return { kind: 'program', name: pair, rest: rest.slice(1) };
  if (programs.includes(first) && !isVerb(table, first, rest)) return { kind: 'program', name: first, rest };
  const shortcut = table.commands.find(({ path }) => path.length === 1 && path[0] === first);
  if (shortcut) return { kind: 'command', command: shortcut, rest };

  const verbs = table.commands.filter(({ path }) => path.length > 1 && path[0] === first);
  if (verbs.length === 0)
    throw unknown(`command ${JSON.stringify(first)}`, nearest(first, firstWords(table, programs)), '', 'fleet --help');
  const command = verbs.find(({ path }) => path[1] === word);
  if (command) return { kind: 'command', command, rest: rest.slice(1) };
  if (word === '' || word.startsWith('-')) return { kind: 'noun', noun: first, rest };
  const turned = idFirst(verbs, rest);
  if (turned) return turned;
  const meant = nearest(word, [...verbs.map(({ path }) => path[1] ?? ''), ...programVerbs(programs, first)]);
  throw unknown(`command ${JSON.stringify(pair)}`, meant, `${first} `, `fleet ${first} --help`);
}

/** Programs that are about a noun: of `executor test`, `test` for `executor`. */
export const programVerbs = (programs: readonly string[], noun: string): string[] =>
  programs.flatMap((name) => (name.startsWith(`${noun} `) ? name.slice(noun.length + 1) : []));

/** A word may be both: bare `fleet run` is the engine, `fleet run list` is about runs. */
const isVerb = ({ commands }: CommandTable, noun: string, [word = '-']: readonly string[]): boolean =>
  !word.startsWith('-') && commands.some(({ path }) => path.length > 1 && path[0] === noun);

/** `fleet task ID log` is `fleet task log ID`. */
function idFirst(verbs: readonly Command[], [id = '', verb = '', ...rest]: readonly string[]): FoundCommand | undefined {
  const command = verbs.find(({ path }) => path[1] === verb);
  const takesId = command?.positionals[0]?.name === 'ID';
  return takesId && ID.test(id) ? { kind: 'command', command, rest: [id, ...rest] } : undefined;
}

const ID = /^[a-z]*_?[0-9a-z]{4,26}$/i;

export const firstWords = (table: CommandTable, programs: readonly string[]): string[] => [
  ...new Set([
    ...table.commands.map(({ path }) => path[0] ?? ''),
    ...programs.filter((name) => !name.includes(' ')),
    ...BUILT_IN,
  ]),
];

const unknown = (what: string, meant: string | undefined, before: string, help: string): Fault =>
  new Fault('invalid', `unknown ${what}`, { hint: meant ? `did you mean fleet ${before}${meant}?` : `see ${help}` });
