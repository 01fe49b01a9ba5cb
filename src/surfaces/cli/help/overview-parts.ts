import type { CommandTable } from '../command.ts';
import type { CliProgram } from '../deps.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES } from '../exit-codes.ts';
import { programVerbs } from '../parse/find-command.ts';
import { GLOBAL_FLAGS } from '../parse/globals.ts';
import type { HelpEntry } from './layout.ts';
import type { OverviewParts } from './overview.ts';

type Programs = Readonly<Record<string, Pick<CliProgram, 'summary'>>>;

/** What `fleet --help` lists, gathered from every command. */
export const overviewParts = (table: CommandTable, programs: Programs): OverviewParts => ({
  everyday: everyday(table, programs),
  nouns: nouns(table, Object.keys(programs)),
  flags: [...globalEntries(), { name: '-V, --version', text: 'show the version' }],
  exitCodes: exitCodes(),
});

const everyday = (table: CommandTable, programs: Programs): HelpEntry[] => [
  ...Object.entries(programs)
    .filter(([name]) => !name.includes(' '))
    .map(([name, { summary }]) => ({ name, text: summary })),
  ...table.commands.filter(({ shortcut }) => shortcut).map(({ path, summary }) => ({ name: path.join(' '), text: summary })),
  { name: 'completion', text: 'Print the script that completes commands in your shell.' },
];

function nouns(table: CommandTable, programs: readonly string[]): HelpEntry[] {
  const verbs = new Map<string, string[]>();
  for (const { path, hidden } of table.commands) {
    const [noun, verb] = path;
    if (noun === undefined || verb === undefined || hidden) continue;
    verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return [...verbs].map(([name, list]) => ({ name, text: [...list, ...programVerbs(programs, name)].join(', ') }));
}

export const globalEntries = (flags: readonly (typeof GLOBAL_FLAGS)[number][] = GLOBAL_FLAGS): HelpEntry[] =>
  flags.map(({ name, short, value, description }) => ({
    name: `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    text: description,
  }));

function exitCodes(): string {
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  return names.map((name) => `${EXIT_CODES[name]} ${EXIT_CODE_MEANINGS[name]}`).join('; ');
}
