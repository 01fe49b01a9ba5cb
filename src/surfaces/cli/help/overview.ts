import { wrap } from '../terminal/wrap.ts';
import { entries, exampleLines, type HelpEntry, section } from './layout.ts';
import type { HelpPage } from './page.ts';

export interface OverviewParts {
  readonly everyday: readonly HelpEntry[];
  readonly nouns: readonly HelpEntry[];
  readonly flags: readonly HelpEntry[];
  readonly exitCodes: string;
}

const EXAMPLES = [
  'fleet init',
  "fleet project add . --name site --verify 'npm test'",
  "fleet task create --project site --prompt 'Fix the login test'",
  'fleet status',
];

/** `fleet --help`: the few everyday words first, then every noun with its verbs. */
export function overview({ everyday, nouns, flags, exitCodes }: OverviewParts, version: string, page: HelpPage): string {
  const { paint } = page;
  return [
    `${paint.bold('fleet')} ${version}: runs a fleet of AI coding agents on your repositories\n`,
    '\nUsage: fleet NOUN VERB [flags]\n       fleet help NOUN VERB\n',
    section('Everyday', entries(everyday, page), page),
    section('Everything else, as fleet NOUN VERB', entries(nouns, page), page),
    section('Flags of every command', entries(flags, page), page),
    section('Examples', exampleLines(EXAMPLES), page),
    section('Exit codes', indented(exitCodes, page), page),
  ].join('');
}

const indented = (text: string, { width }: HelpPage): string =>
  wrap(text, width - 2)
    .map((line) => `  ${line}\n`)
    .join('');
