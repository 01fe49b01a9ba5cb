import type { RunFacts } from '../../../../contract/run-events.ts';
import { pairs } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { truncate } from '../../terminal/width.ts';
import { counted, homely, shortId, type ViewStyle } from '../style.ts';

type Rows = readonly (readonly [string, string | undefined])[];

const SHOWN = 400;

/** How a run was started, and how its process ended. */
export function factsPage(facts: RunFacts, look: ViewStyle): string {
  const { paint, width } = look;
  const rows = factRows(facts, look).filter((row): row is readonly [string, string] => Boolean(row[1]));
  const body =
    rows.length === 0 ? '  It has not been started.\n' : pairs(rows, { width, indent: '  ', paint: (name) => paint.dim(name) });
  return `${paint.bold(`run ${shortId(facts.runId)}`)}\n\n${body}`;
}

export const factRows = ({ directory, prompt, launch, exit }: RunFacts, look: ViewStyle): Rows => [
  [
    'Prompt',
    prompt && `${truncate(plainLine(prompt.text), SHOWN)} (${counted(prompt.bytes, 'byte')}, ${homely(prompt.file, look)})`,
  ],
  ['Command', launch && [launch.command, ...launch.args].map(word).join(' ')],
  ['Variables', launch && launch.env.map(plainLine).join(', ')],
  ['Exit', exit && exitText(exit)],
  ['Files', homely(directory, look)],
];

/** Every word can be told from the next, as a shell would read it; a very long one by its beginning. */
function word(text: string): string {
  const shown = truncate(plainLine(text), SHOWN);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}

const exitText = ({ code, signal, refused }: NonNullable<RunFacts['exit']>): string =>
  [`code ${code}`, signal && `ended by ${plainLine(signal)}`, refused && `never started: ${plainLine(refused)}`]
    .filter(Boolean)
    .join(', ');
