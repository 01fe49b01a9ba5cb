import type { CommandTable } from '../command.ts';
import type { CliDeps } from '../deps.ts';
import { COMPLETION_SETUP } from '../flows/completion.ts';
import { programVerbs } from '../parse/find-command.ts';
import { placeText } from './command-page.ts';
import { entries, exampleLines, section } from './layout.ts';
import type { HelpPage } from './page.ts';

type Programs = CliDeps['programs'];

/** `fleet task`: what can be done with the noun. */
export function nounPage(noun: string, table: CommandTable, programs: Programs, page: HelpPage): string {
  return `Usage: ${page.paint.bold(`fleet ${noun} VERB`)} [flags]\n${verbs(noun, table, programs, page)}`;
}

/** Nothing for a word that is no noun. */
function verbs(noun: string, table: CommandTable, programs: Programs, page: HelpPage): string {
  const own = programVerbs(Object.keys(programs), noun).map((verb) => {
    const program = programs[`${noun} ${verb}`];
    return { name: `${verb} ${program?.usage.split(' ')[0] ?? ''}`, text: program?.summary ?? '' };
  });
  const derived = table.commands
    .filter(({ path }) => path.length > 1 && path[0] === noun)
    .map(({ path, positionals, summary }) => ({ name: [path[1], ...positionals.map(placeText)].join(' '), text: summary }));
  const list = [...derived, ...own];
  if (list.length === 0) return '';
  return `${section('Verbs', entries(list, page), page)}\nfleet ${noun} VERB --help tells more about one of them.\n`;
}

/** A word may be a program and a noun: `fleet run` and `fleet run list`. */
export function programPage(name: string, { table, programs }: Pick<CliDeps, 'table' | 'programs'>, page: HelpPage): string {
  const { summary = '', usage = '', examples = [] } = programs[name] ?? {};
  const head = `${summary}\n\nUsage: ${page.paint.bold(`fleet ${name} ${usage}`.trimEnd())}\n`;
  return `${head}${section('Examples', exampleLines(examples), page)}${verbs(name, table, programs, page)}`;
}

export const completionPage = (page: HelpPage): string =>
  `Print the script that completes commands in your shell.\n\nUsage: ${page.paint.bold('fleet completion bash|zsh|fish')}\n${section('To switch it on', exampleLines(COMPLETION_SETUP), page)}`;
