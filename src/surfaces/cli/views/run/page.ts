import type { RunView } from '../../../../contract/run.ts';
import type { RunFacts } from '../../../../contract/run-events.ts';
import { ago, span } from '../../terminal/ages.ts';
import { pairs } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { contextText, dollarsText, quotaText, tokensText } from '../cost/cost.ts';
import { counted, homely, shortId, type ViewStyle } from '../style.ts';
import { factRows } from './facts.ts';
import { healthPaint, statePaint, stateText, tookMs } from './list.ts';

type Rows = readonly (readonly [string, string | undefined])[];

/** Everything about one run, laid out for reading. */
export function runPage(run: RunView, look: ViewStyle, facts?: RunFacts): string {
  const { paint, width } = look;
  const heading = `${statePaint(run.phase, paint)(stateText(run.phase))} ${paint.bold(`run ${shortId(run.id)}`)}\n`;
  const rows = [...identity(run, look), ...progress(run, look), ...(facts ? factRows(facts, look) : [])].filter(
    (row): row is readonly [string, string] => Boolean(row[1]),
  );
  return [
    heading + paint.dim(`  ${plainLine(run.id)} · began ${ago(run.createdAt, look.nowMs)}\n`),
    pairs(rows, { width, indent: '  ', paint: paint.dim }),
    `  ${paint.dim('Next')}\n${pairs(nextSteps(run), { width, indent: '    ', paint: paint.cyan })}`,
  ].join('\n');
}

const identity = (run: RunView, look: ViewStyle): Rows => [
  ['State', stateLine(run, look)],
  ['Health', run.health && healthPaint(run.health, look.paint)(run.health)],
  ['Task', `${shortId(run.taskId)}, attempt ${run.attempt}${run.kind === 'agent' ? '' : `, ${run.kind}`}`],
  [
    'Executor',
    [plainLine(run.executor), run.model && `model ${plainLine(run.model)}`, run.effort && `effort ${run.effort}`]
      .filter(Boolean)
      .join(', '),
  ],
  ['Where', [run.directory && homely(run.directory, look), `on ${plainLine(run.host)}`].filter(Boolean).join(' ')],
  ['Not kept', run.unkept && plainLine(run.unkept)],
  ['Process', run.phase.state === 'running' ? `${run.phase.agent.pid}, watched by ${run.phase.shim.pid}` : undefined],
];

function stateLine({ phase, ...run }: RunView, { paint, nowMs }: ViewStyle): string {
  const word = statePaint(phase, paint)(phase.state === 'ended' ? phase.outcome.replaceAll('_', ' ') : phase.state);
  const took = span(tookMs({ phase, ...run }, nowMs));
  if (phase.state === 'ending') return `${word} as ${phase.outcome.replaceAll('_', ' ')}: ${plainLine(phase.why)}`;
  if (phase.state !== 'ended') return `${word} for ${took}`;
  const exit = phase.exit === undefined ? '' : `, exit code ${phase.exit}`;
  return `${word} ${ago(phase.at, nowMs)} after ${took}${exit}${phase.detail ? `: ${plainLine(phase.detail)}` : ''}`;
}

function progress({ watch, phase }: RunView, { nowMs }: ViewStyle): Rows {
  if (!watch) return [];
  const { usage, context, lines, events, droppedBytes, openTools, lastWords, summary, unknownLines = 0 } = watch;
  const printed = [
    counted(lines, 'line'),
    counted(events, 'event'),
    unknownLines > 0 && `${counted(unknownLines, 'line')} its executor does not know`,
    droppedBytes > 0 && `${droppedBytes} bytes left out`,
  ];
  return [
    ['Printed', printed.filter(Boolean).join(', ')],
    ['Sign of life', phase.state === 'ended' ? undefined : ago(watch.signAt, nowMs)],
    ['Tokens', usage && `${tokensText(usage)}${watch.turns ? ` in ${counted(watch.turns.count, 'turn')}` : ''}`],
    ['Cost', usage && `${dollarsText(usage)}, API-equivalent`],
    ['Context', context && contextText(context)],
    ['Quota', watch.quota && quotaText(watch.quota, nowMs)],
    ['Tools', openTools.map(plainLine).join(', ')],
    ['Session', plainLine(watch.session ?? '')],
    ['Limited until', plainLine(watch.limitedUntil ?? '')],
    ['Last words', plainLine(lastWords)],
    ['Summary', plainLine(summary ?? '')],
  ];
}

function nextSteps({ id, taskId, phase }: RunView): (readonly [string, string])[] {
  const run = shortId(id);
  const task = shortId(taskId);
  if (phase.state === 'ended')
    return [
      [`fleet run log ${run}`, 'what it printed'],
      [`fleet task show ${task}`, 'its task'],
    ];
  return [
    [`fleet run log ${run} --follow`, 'what it prints'],
    [`fleet task send ${task} TEXT`, 'tell it something'],
    [`fleet run cancel ${run}`, 'end it and its task'],
  ];
}
