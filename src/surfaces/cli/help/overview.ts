import type { CommandTable } from '../command.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES } from '../exit-codes.ts';
import { programVerbs } from '../parse/find-command.ts';
import { GLOBAL_FLAGS } from '../parse/globals.ts';
import type { Program } from '../surroundings.ts';
import { wrap } from '../terminal/wrap.ts';
import { type Entry, entries, exampleLines, section } from './layout.ts';
import type { Page } from './page.ts';

const EXAMPLES = [
  'fleet init',
  "fleet project add . --name site --verify 'npm test'",
  "fleet task create --project site --prompt 'Fix the login test'",
  'fleet status',
];

/** `fleet --help`: the few everyday words first, then every noun with its verbs. */
export function overview(table: CommandTable, programs: Readonly<Record<string, Program>>, version: string, page: Page): string {
  const { paint } = page;
  return [
    `${paint.bold('fleet')} ${version}: runs a fleet of AI coding agents on your repositories\n`,
    '\nUsage: fleet NOUN VERB [flags]\n       fleet help NOUN VERB\n',
    section('Everyday', entries(everyday(table, programs), page), page),
    section('Everything else, as fleet NOUN VERB', entries(nouns(table, Object.keys(programs)), page), page),
    section(
      'Flags of every command',
      entries([...globalEntries(), { name: '-V, --version', text: 'show the version' }], page),
      page,
    ),
    section('Examples', exampleLines(EXAMPLES), page),
    section('Exit codes', exitCodes(page), page),
  ].join('');
}

const everyday = (table: CommandTable, programs: Readonly<Record<string, Program>>): Entry[] => [
  ...Object.entries(programs)
    .filter(([name]) => !name.includes(' '))
    .map(([name, { summary }]) => ({ name, text: summary })),
  ...table.commands.filter(({ shortcut }) => shortcut).map(({ path, summary }) => ({ name: path.join(' '), text: summary })),
  { name: 'completion', text: 'Print the script that completes commands in your shell.' },
];

function nouns(table: CommandTable, programs: readonly string[]): Entry[] {
  const verbs = new Map<string, string[]>();
  for (const { path, hidden } of table.commands) {
    const [noun, verb] = path;
    if (noun === undefined || verb === undefined || hidden) continue;
    verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return [...verbs].map(([name, list]) => ({ name, text: [...list, ...programVerbs(programs, name)].join(', ') }));
}

export const globalEntries = (flags: readonly (typeof GLOBAL_FLAGS)[number][] = GLOBAL_FLAGS): Entry[] =>
  flags.map(({ name, short, value, description }) => ({
    name: `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    text: description,
  }));

function exitCodes({ width }: Page): string {
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  const text = names.map((name) => `${EXIT_CODES[name]} ${EXIT_CODE_MEANINGS[name]}`).join('; ');
  return wrap(text, width - 2)
    .map((line) => `  ${line}\n`)
    .join('');
}
