import type { OutputOf } from '../../../../contract/call.ts';
import { ago } from '../../terminal/ages.ts';
import { columns, pairs } from '../../terminal/columns.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { visible } from '../../terminal/visible.ts';
import { truncate } from '../../terminal/width.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { shortId, type ViewStyle } from '../style.ts';
import { shortCommit } from './changes.ts';

type Answer = OutputOf<'fleet.blame'>;
type Line = Answer['lines'][number];

/** Who is behind the lines of a file; of one line alone, everything that is known. */
export function blame({ file, lines }: Answer, look: ViewStyle): string {
  const [first] = lines;
  if (!first) return `${visible(file)} has no lines.\n`;
  return lines.length === 1 ? oneLine(file, first, look) : blameTable(lines, look);
}

function blameTable(lines: readonly Line[], look: ViewStyle): string {
  const { paint, width } = look;
  const isOurs = ({ task }: Line) => task !== undefined;
  const tint = (colour: (text: string) => string) => (text: string, line: Line) =>
    isOurs(line) ? colour(text) : paint.dim(text);
  return columns<Line>(
    lines,
    [
      { title: 'COMMIT', cell: ({ commit }) => shortCommit(commit), paint: tint(paint.yellow) },
      { title: 'TASK', cell: ({ task }) => (task === undefined ? '–' : shortId(task)), paint: tint(paint.bold) },
      { title: 'BY', cell: whoOf, paint: tint(paint.cyan), least: 6, expendable: 2 },
      {
        title: 'TITLE',
        cell: ({ title, summary }) => truncate(plainLine(title ?? summary), 24),
        paint: tint((text) => text),
        least: 10,
        expendable: 3,
      },
      { title: 'LINE', cell: ({ line }) => String(line), align: 'right', paint: paint.dim },
      { title: '', cell: ({ text }) => visible(text.replace(/\r$/, '')), least: 40 },
    ],
    { width, heading: paint.dim },
  );
}

/** The executor and its model; of a line no agent wrote, its author. */
const whoOf = ({ executor, model, author }: Line): string =>
  executor === undefined ? plainLine(author) : plainLine(model === undefined ? executor : `${executor} ${model}`);

/** Git writes a moment in its own way; what cannot be read is shown as it is. */
function whenOf(at: string, nowMs: number): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? plainLine(at) : ago(new Date(ms).toISOString(), nowMs);
}

function oneLine(file: string, line: Line, look: ViewStyle): string {
  const { paint, width, nowMs } = look;
  const head = `${paint.bold(`${visible(file)}:${line.line}`)}\n  ${visible(line.text.replace(/\r$/, '')).trimEnd()}\n`;
  const rows: (readonly [string, string | undefined])[] = [
    ['Commit', `${shortCommit(line.commit)}, ${whenOf(line.at, nowMs)}, ${plainLine(line.summary)}`],
    ['Author', plainLine(line.author)],
    ['Task', line.task && [shortId(line.task), line.title && plainLine(line.title)].filter(Boolean).join('  ')],
    ['Executor', line.executor && whoOf(line)],
    ['Run', line.run && shortId(line.run)],
  ];
  const known = rows.filter((row): row is readonly [string, string] => Boolean(row[1]));
  const facts = pairs(known, { width, indent: '  ', paint: paint.dim });
  if (line.task === undefined) return `${head}\n${facts}\n  No task of this fleet is behind this line.\n`;
  return `${head}\n${facts}${promptOf(line, look)}\n  ${paint.cyan(`fleet task show ${shortId(line.task)}`)}\n`;
}

const readable = 96;

const promptOf = ({ prompt }: Line, { paint, width }: ViewStyle): string =>
  prompt === undefined
    ? ''
    : `\n  ${paint.dim('Prompt')}\n${indented(wrap(plain(prompt).trimEnd(), Math.max(20, Math.min(width, readable) - 4)), '    ')}\n`;
