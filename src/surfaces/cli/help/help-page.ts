import type { CommandTable } from '../command.ts';
import type { CliProgram, Io } from '../deps.ts';
import { findCommand } from '../parse/find-command.ts';
import { commandPage } from './command-page.ts';
import { completionPage, nounPage, programPage } from './noun-page.ts';
import { overview } from './overview.ts';
import { overviewParts } from './overview-parts.ts';
import { pageFor } from './page.ts';

export interface HelpDeps {
  readonly table: CommandTable;
  readonly programs: Readonly<Record<string, CliProgram>>;
  readonly version: string;
  readonly io: Pick<Io, 'colour' | 'columns'>;
}

/** The page for these words: the whole program, a noun, or one command. */
export function helpPage(words: readonly string[], { table, programs, version, io }: HelpDeps): string {
  const page = pageFor(io);
  const named = words.filter((word) => !word.startsWith('-'));
  if (named.length === 0) return overview(overviewParts(table, programs), version, page);
  if (named[0] === 'completion') return completionPage(page);
  const found = findCommand(table, Object.keys(programs), named);
  if (found.kind === 'command') return commandPage(found.command, page);
  return found.kind === 'program'
    ? programPage(found.name, { table, programs }, page)
    : nounPage(named[0] ?? '', table, programs, page);
}
