import type { OutputOf } from '../../../../contract/call.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { visible } from '../../terminal/visible.ts';
import { counted, type Paint, type ViewStyle } from '../style.ts';
import { barPaint, changeBar, changesText, shortCommit } from '../work/changes.ts';
import { type DiffLine, type FileDiff, filesIn } from '../work/diff-parts.ts';

type Diff = OutputOf<'task.diff'>;

/** What a task has changed: the files at a glance, then every line. */
export function taskDiff(diff: Diff, look: ViewStyle): string {
  const files = filesIn(diff.text);
  return [diffSummary(diff, files, look), ...files.map((file) => fileText(file, look)), cutNote(diff, look)]
    .filter((part) => part !== '')
    .join('\n');
}

/** Only which files, and how much of each. */
export const diffStat = (diff: Diff, look: ViewStyle): string =>
  [diffSummary(diff, filesIn(diff.text), look), cutNote(diff, look)].filter((part) => part !== '').join('\n');

const filesShown = 50;
const widestBar = 40;

function diffSummary({ branch, base, tip, totals }: Diff, files: readonly FileDiff[], look: ViewStyle): string {
  const { paint, width } = look;
  const head = `${paint.bold(plainLine(branch))} ${paint.dim(`${shortCommit(base)} → ${shortCommit(tip)}`)}\n`;
  const shown = files.slice(0, filesShown);
  const most = Math.max(0, ...shown.map(({ added, removed }) => added + removed));
  const cells = Math.max(8, Math.min(widestBar, width - 40));
  const table = columns<FileDiff>(
    shown,
    [
      { title: '', cell: ({ path }) => ` ${visible(path)}`, least: 16 },
      { title: '', cell: sizeOf, align: 'right', paint: paint.dim },
      { title: '', cell: (file) => changeBar(file, most, cells), paint: barPaint(paint), expendable: 1 },
    ],
    { width, heading: paint.dim },
  );
  const hidden = totals.files - shown.length;
  const more = hidden > 0 ? paint.dim(` and ${counted(hidden, 'more file')}\n`) : '';
  return `${head}${shown.length === 0 ? '' : table}${more} ${changesText(totals, paint)}\n`;
}

const sizeOf = ({ added, removed, notes }: FileDiff): string =>
  notes.includes('binary') ? 'binary' : added + removed === 0 ? (notes[0] ?? '0') : String(added + removed);

function fileText({ path, notes, lines }: FileDiff, { paint }: ViewStyle): string {
  const about = notes.length === 0 ? '' : ` ${paint.dim(`(${notes.map(visible).join(', ')})`)}`;
  return `${paint.bold(visible(path))}${about}\n${lines.map((line) => lineText(line, paint)).join('')}`;
}

function lineText({ kind, text }: DiffLine, paint: Paint): string {
  const shown = visible(text);
  switch (kind) {
    case 'hunk':
      return `${paint.dim(shown)}\n`;
    case 'added':
      return `${paint.green(`+${shown}`)}\n`;
    case 'removed':
      return `${paint.red(`-${shown}`)}\n`;
    case 'remark':
      return `${paint.dim(`\\ ${shown}`)}\n`;
    case 'same':
      return ` ${shown}\n`;
  }
}

const cutNote = ({ cut }: Diff, { paint }: ViewStyle): string =>
  cut ? `${paint.yellow('The diff is longer and was cut here.')} --max-bytes N sets how much is shown.\n` : '';
