import type { OutputOf } from '../../../../contract/call.ts';
import { ago } from '../../terminal/ages.ts';
import { columns } from '../../terminal/columns.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { counted, shortId, type ViewStyle } from '../style.ts';
import { barPaint, changeBar, changesText, shortCommit } from '../work/changes.ts';
import { evidenceText } from '../work/evidence.ts';

type Answer = OutputOf<'task.report'>;
type Report = Answer['reports'][number];
type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim';

/** What the newest run said it has done, and what the gate has found. */
export function taskReport({ taskId, reports, evidence, rejected, conflicts }: Answer, look: ViewStyle): string {
  const [newest, ...before] = reports;
  if (!newest && evidence.length === 0 && !rejected)
    return `No agent of ${shortId(taskId)} has reported yet, and no gate has looked at its work.\n`;
  const parts = [
    newest ? reportText(newest, look) : '',
    before.length === 0 ? '' : look.paint.dim(`  ${counted(before.length, 'report')} before this one: --json shows all\n`),
    rejectedText(rejected, look),
    conflicts ? `${look.paint.bold('Conflicts')}\n  with its target in ${conflicts.map(plainLine).join(', ')}\n` : '',
    evidenceText(evidence, look),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function rejectedText(rejected: Answer['rejected'], look: ViewStyle): string {
  if (!rejected) return '';
  const { paint, nowMs } = look;
  const same = rejected.unchanged ? paint.yellow('  the very same was handed in again\n') : '';
  const head = `${paint.bold('Rejected')} ${paint.dim(`by ${plainLine(rejected.by)} ${ago(rejected.at, nowMs)}`)}\n`;
  return `${head}${indented(wrap(plain(rejected.text).trimEnd(), room(look, 2)))}\n${same}`;
}

const STATUS: Readonly<Record<Report['status'], readonly [sign: string, colour: Colour]>> = {
  succeeded: ['✓', 'green'],
  blocked: ['!', 'yellow'],
  failed: ['✗', 'red'],
  unknown: ['?', 'dim'],
};

const CHANNELS: Readonly<Record<Report['channel'], string>> = {
  mcp: '',
  file: '',
  answer: ', from its last answer',
  salvage: ', put together from what it left',
};

/** What it says about itself. What is doubtful of that comes first. */
const LISTS: readonly (readonly [name: string, field: Field, sign: string, colour: Colour])[] = [
  ['Doubts', 'doubts', '!', 'yellow'],
  ['Done', 'done', '✓', 'green'],
  ['Tested', 'tested', '✓', 'green'],
  ['Not tested', 'untested', '○', 'yellow'],
  ['Open', 'open', '○', 'yellow'],
  ['Errors', 'errors', '✗', 'red'],
  ['Next steps', 'nextSteps', '→', 'cyan'],
];
type Field = 'doubts' | 'done' | 'tested' | 'untested' | 'open' | 'errors' | 'nextSteps';

function reportText(report: Report, look: ViewStyle): string {
  const { paint, nowMs } = look;
  const [sign, colour] = STATUS[report.status];
  const origin = paint.dim(`run ${shortId(report.runId)}, ${ago(report.at, nowMs)}${CHANNELS[report.channel]}`);
  const head = `${paint[colour](sign)} ${paint.bold(`reported ${report.status}`)}  ${origin}\n`;
  const preview = report.previewUrl === undefined ? '' : `  ${paint.dim('Preview')}\n    ${plainLine(report.previewUrl)}\n`;
  const sections = [
    ...LISTS.map((entry) => list(report, entry, look)),
    tests(report.tests, look),
    files(report, look),
    commits(report, look),
    preview,
  ];
  return [head + summary(report.summary, look), ...sections].filter((part) => part !== '').join('\n');
}

const readable = 96;
const room = ({ width }: ViewStyle, margin: number): number => Math.max(20, Math.min(width, readable) - margin);

const summary = (text: string, look: ViewStyle): string =>
  text.trim() === '' ? '' : `${indented(wrap(plain(text).trimEnd(), room(look, 2)))}\n`;

function list(report: Report, [name, field, sign, colour]: (typeof LISTS)[number], look: ViewStyle): string {
  const { paint } = look;
  const items = report[field].map((item) => {
    const [first = '', ...rest] = wrap(plainLine(item), room(look, 6));
    const tint = field === 'doubts' ? paint.yellow : (text: string) => text;
    return `    ${paint[colour](sign)} ${[first, ...rest].map(tint).join('\n      ')}\n`;
  });
  return items.length === 0 ? '' : `  ${paint.dim(name)}\n${items.join('')}`;
}

function tests(ran: Report['tests'], look: ViewStyle): string {
  if (ran.length === 0) return '';
  const { paint } = look;
  const colourOf = (status: string) => (/^(pass|ok|green|succe)/i.test(status) ? paint.green : paint.yellow);
  const table = columns<Report['tests'][number]>(
    ran,
    [
      { title: '', cell: ({ command }) => `    ${plainLine(command)}`, least: 20 },
      { title: '', cell: ({ status }) => plainLine(status), paint: (text, { status }) => colourOf(status)(text), least: 8 },
      { title: '', cell: ({ details }) => plainLine(details ?? ''), paint: paint.dim, least: 12, expendable: 1 },
    ],
    { width: look.width, heading: paint.dim },
  );
  return `  ${paint.dim('Tests, as it says')}\n${table}`;
}

const filesShown = 30;
const barCells = 24;

function files({ files: changed, totals }: Report, look: ViewStyle): string {
  if (changed.length === 0) return '';
  const { paint, width } = look;
  const shown = changed.slice(0, filesShown);
  const lines = ({ added = 0, removed = 0 }: (typeof shown)[number]) => ({ added, removed });
  const most = Math.max(...shown.map((file) => lines(file).added + lines(file).removed));
  const table = columns<(typeof shown)[number]>(
    shown,
    [
      { title: '', cell: ({ status }) => `    ${plainLine(status)}`, paint: paint.dim },
      { title: '', cell: ({ path }) => plainLine(path), least: 16 },
      { title: '', cell: (file) => changeBar(lines(file), most, barCells), paint: barPaint(paint), expendable: 1 },
    ],
    { width, heading: paint.dim },
  );
  const sum = totals ? `: ${changesText(totals, paint)}` : '';
  const more = changed.length > shown.length ? paint.dim(`    and ${changed.length - shown.length} more\n`) : '';
  return `  ${paint.dim('Files, from git')}${sum}\n${table}${more}`;
}

const commitsShown = 10;

function commits({ commits: made }: Report, { paint, width }: ViewStyle): string {
  if (made.length === 0) return '';
  const lines = columns<(typeof made)[number]>(
    made.slice(0, commitsShown),
    [
      { title: '', cell: ({ id }) => `    ${shortCommit(id)}`, paint: paint.yellow },
      { title: '', cell: ({ subject }) => plainLine(subject), least: 20 },
    ],
    { width, heading: paint.dim },
  );
  const more = made.length > commitsShown ? paint.dim(`    and ${made.length - commitsShown} more\n`) : '';
  return `  ${paint.dim('Commits')}\n${lines}${more}`;
}
