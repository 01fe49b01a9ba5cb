import type { Command, CommandValue } from '../command.ts';
import { kebab } from '../kebab.ts';
import { GLOBAL_FLAGS, KEY_FLAG } from '../parse/globals.ts';
import { entries, exampleLines, type HelpEntry, section } from './layout.ts';
import { globalEntries } from './overview-parts.ts';
import type { HelpPage } from './page.ts';

/** `fleet task create --help`. */
export function commandPage(command: Command, page: HelpPage): string {
  const { path, summary, positionals, flags, kind, examples } = command;
  const places = positionals.map(placeText).join(' ');
  const usage = ['fleet', ...path, places, flags.length > 0 ? '[flags]' : ''].filter((word) => word !== '').join(' ');
  return [
    `${summary}\n\nUsage: ${page.paint.bold(usage)}\n`,
    section(
      'Arguments',
      entries(
        positionals.map((value) => ({ name: placeText(value), text: explained(value) })),
        page,
      ),
      page,
    ),
    section('Flags', entries(flags.map(flagEntry), page), page),
    section(
      'Flags of every command',
      entries(globalEntries(kind === 'command' ? [KEY_FLAG, ...GLOBAL_FLAGS] : GLOBAL_FLAGS), page),
      page,
    ),
    section('Examples', exampleLines(examples), page),
  ].join('');
}

export function placeText({ name, required, repeated }: CommandValue): string {
  const text = repeated ? `${name}...` : name;
  return required ? text : `[${text}]`;
}

const flagEntry = (flag: CommandValue): HelpEntry => ({
  name: flag.type === 'boolean' ? `--${flag.negatable ? '[no-]' : ''}${flag.name}` : `--${flag.name} ${placeholder(flag)}`,
  text: explained(flag),
});

function placeholder({ field, type, isPath }: CommandValue): string {
  if (type === 'integer' || type === 'number') return 'N';
  if (type === 'json') return 'JSON';
  return WORDS[field] ?? (isPath ? 'PATH' : 'TEXT');
}

const WORDS: Readonly<Record<string, string>> = {
  project: 'NAME',
  name: 'NAME',
  executor: 'NAME',
  assignee: 'NAME',
  team: 'NAME',
  as: 'NAME',
  model: 'NAME',
  after: 'ID',
  parent: 'ID',
  task: 'ID',
  baseRef: 'REF',
  targetBranch: 'BRANCH',
  setup: 'CMD',
  verify: 'CMD',
  tag: 'WORD',
  notBefore: 'TIME',
  integration: 'MODE',
  isolation: 'MODE',
  contextMode: 'MODE',
  kind: 'KIND',
  preset: 'KIND',
  effort: 'LEVEL',
  state: 'PHASE',
  clear: 'FIELD',
  promptFile: 'FILE',
  file: 'FILE',
  directory: 'DIR',
};

function explained(value: CommandValue): string {
  const { description, choices, minimum, maximum, required } = value;
  const bounds =
    minimum !== undefined && maximum !== undefined && !description.includes(`${minimum} `)
      ? `${minimum} to ${maximum}`
      : undefined;
  const notes = [
    choices && `one of ${choices.map(kebab).join(', ')}`,
    bounds,
    value.default !== undefined && value.default !== false && `default ${JSON.stringify(value.default)}`,
    required && value.name === kebab(value.field) && 'needed',
  ].filter(Boolean);
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
