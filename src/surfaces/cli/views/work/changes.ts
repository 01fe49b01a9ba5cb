import pico from 'picocolors';
import type { TaskView } from '../../../../contract/shapes.ts';
import type { Totals } from '../../../../domain/work/work.ts';
import { plainLine } from '../../terminal/plain.ts';
import { counted, type Paint } from '../style.ts';

/** Seven characters name a commit among those of one project; git takes them, too. */
export const shortCommit = (commit: string): string => plainLine(commit).slice(0, 7);

const COLOURLESS = pico.createColors(false);

/** `3 files, +40 −12, 2 commits`. */
export function changesText({ files, added, removed, commits }: Totals, paint: Paint = COLOURLESS): string {
  if (files === 0) return 'nothing changed';
  const lines = `${paint.green(`+${added}`)} ${paint.red(`−${removed}`)}`;
  return `${counted(files, 'file')}, ${lines}${commits > 0 ? `, ${counted(commits, 'commit')}` : ''}`;
}

/** Added and removed lines as a bar of at most `cells`; a side that has any lines is never empty. */
export function changeBar({ added, removed }: Pick<Totals, 'added' | 'removed'>, most: number, cells: number): string {
  const scale = most > cells ? cells / most : 1;
  const length = (lines: number) => (lines === 0 ? 0 : Math.max(1, Math.floor(lines * scale)));
  return '+'.repeat(length(added)) + '-'.repeat(length(removed));
}

export const barPaint =
  (paint: Paint) =>
  (bar: string): string =>
    paint.green(bar.replaceAll('-', '')) + paint.red(bar.replaceAll('+', ''));

/** What the gate has said of the work as it is now. */
export function gateText({ gate, work }: TaskView, paint: Paint): string | undefined {
  if (!gate) return undefined;
  const on = gate.commit === undefined ? '' : ` on ${shortCommit(gate.commit)}`;
  const isOld = gate.commit !== undefined && work !== undefined && ![work.tip, work.landing?.commit].includes(gate.commit);
  const age = isOld ? paint.dim(', the work has changed since') : '';
  if (gate.green === undefined) return `${paint.magenta('◆ running')}${on}`;
  return `${gate.green ? paint.green('✓ green') : paint.red('✗ red')}${on}${age}`;
}

/** What is being done with finished work right now. */
export function provingText({ phase, work, gate }: TaskView): string | undefined {
  const isGated = gate !== undefined && gate.green === undefined;
  const gated = isGated ? `the gate runs${gate.commit === undefined ? '' : ` on ${shortCommit(gate.commit)}`}` : undefined;
  if (phase.state === 'merging') return gated ?? (work && `on its way to ${plainLine(work.target)}`);
  if (phase.state !== 'verifying') return undefined;
  return gated ?? (work && work.tip === undefined ? 'its changes are gathered' : undefined);
}
