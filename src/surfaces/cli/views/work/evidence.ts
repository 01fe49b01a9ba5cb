import type { OutputOf } from '../../../../contract/call.ts';
import { failingText } from '../../../../domain/work/failing-tests.ts';
import { ago } from '../../terminal/ages.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { truncate } from '../../terminal/width.ts';
import { shortId, type ViewStyle } from '../style.ts';
import { shortCommit } from './changes.ts';

type Evidence = OutputOf<'task.report'>['evidence'][number];

const shownFully = 5;

/** What the gate said, newest first; of what it refused, the end of its output. */
export function evidenceText(evidence: readonly Evidence[], look: ViewStyle): string {
  if (evidence.length === 0) return '';
  const { paint } = look;
  const rest = evidence.length - shownFully;
  const more = rest > 0 ? paint.dim(`  and ${rest} older: --json shows all\n`) : '';
  return `${paint.bold('Gate')}\n${evidence
    .slice(0, shownFully)
    .map((one, index) => verdict(one, look, index === 0))
    .join('')}${more}`;
}

function verdict(found: Evidence, look: ViewStyle, isNewest: boolean): string {
  const { paint, nowMs } = look;
  const { green, command, commit, onto, exit, at, stale, tookMs, runId } = found;
  const sign = green ? paint.green('✓') : paint.red('✗');
  const facts = [
    exit === undefined ? plainLine(found.why) : `exit code ${exit}`,
    commit === undefined ? 'in place' : `on ${shortCommit(commit)}${onto === undefined ? '' : ` atop ${shortCommit(onto)}`}`,
    `${(tookMs / 1000).toFixed(1)} s`,
    ago(at, nowMs),
  ];
  const old = stale ? paint.yellow(', stale') : '';
  const head = `  ${sign} ${paint.bold(truncate(plainLine(command), Math.max(20, look.width - 4)))}\n    ${facts.filter(Boolean).join(', ')}${old}\n`;
  return green || !isNewest
    ? head
    : `${head}${lastLines(found, look)}    ${paint.dim(`fleet run log ${shortId(runId)} shows all of it`)}\n`;
}

const linesShown = 15;
const failingShown = 40;

/** The tests that failed, where the runner is known; else the end of what was printed. */
function lastLines({ output, failures = [] }: Evidence, { paint, width }: ViewStyle): string {
  const failing = failures.length > 0 ? plain(failingText(failures)).split('\n').slice(0, failingShown) : undefined;
  const lines = failing ?? plain(output).trimEnd().split('\n').slice(-linesShown);
  if (lines.join('') === '') return `    ${paint.dim('it printed nothing')}\n`;
  return lines.map((line) => `    ${paint.red('│')} ${truncate(line.trimEnd(), Math.max(20, width - 6))}\n`).join('');
}
