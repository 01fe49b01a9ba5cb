import type { OutputOf } from '../../../contract/call.ts';
import { box } from '../terminal/box.ts';
import { plain, plainLine } from '../terminal/plain.ts';
import { painted, piece, type RichLine } from '../terminal/rich.ts';
import { widthOf } from '../terminal/width.ts';
import { wrap } from '../terminal/wrap.ts';
import { counted, type Paint, type ViewStyle } from '../views/style.ts';
import { shortCommit } from '../views/work/changes.ts';
import { laneColour, nameCells, seconds, wholeWidth } from './frame.ts';
import type { GraphLine } from './graph.ts';

type Told = OutputOf<'task.report'>;

/** What has come of it. */
export interface DemoResult {
  readonly elapsedMs: number;
  readonly target: string;
  readonly landed: string;
  readonly graph: readonly GraphLine[];
  /** What was told of each task, in their order. */
  readonly told: readonly { readonly lane: string; readonly answer: Told }[];
  readonly next: readonly (readonly [command: string, what: string])[];
  readonly directory: string;
}

/** The end of the demo: the branch as it is now, why it can be believed, and what to type next. */
export function result(ending: DemoResult, look: Pick<ViewStyle, 'paint' | 'width'>): string {
  const width = wholeWidth(look.width);
  const { paint } = look;
  const frameOf = (title: string) => ({ title, width: width - 2, paint: paint.dim, bold: paint.bold });
  const last = ending.told.at(-1)?.answer.reports[0];
  const boxes = [
    box(graphLines(ending, paint), frameOf(`${ending.target}, as it is now`)),
    box(evidenceLines(ending, paint), frameOf('evidence')),
    last ? box(reportLines(last, width - 6, paint), frameOf(`report of ${ending.told.at(-1)?.lane ?? ''}`)) : '',
  ];
  return [...boxes.map(indent), summary(ending, paint), nextSteps(ending, width, paint)].filter((part) => part !== '').join('\n');
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, ' ');

function graphLines({ graph, told, landed, target }: DemoResult, paint: Paint): RichLine[] {
  const rails = Math.max(0, ...graph.map(({ rail }) => widthOf(rail)));
  const makers = new Map(
    told.flatMap(({ lane, answer }) => answer.reports.flatMap(({ commits }) => commits.map(({ id }) => [id, lane] as const))),
  );
  const names = Math.max(0, ...graph.map(({ commit }) => widthOf(commit?.subject ?? '')));
  return graph.map(({ rail, commit }) => {
    if (!commit) return [piece(rail, paint.yellow)];
    const maker = commit.id === landed ? 'fleet' : (makers.get(commit.id) ?? plainLine(commit.author));
    const here = commit.id === landed ? piece(`  ← ${target}, proved by the gate`, paint.green) : piece('');
    return [
      piece(rail.padEnd(rails), paint.yellow),
      piece(`  ${shortCommit(commit.id)}`, paint.dim),
      piece(`  ${plainLine(commit.subject).padEnd(Math.min(names, subjectCells))}`),
      piece(`  ${maker}`, laneColour(maker, paint)),
      here,
    ];
  });
}

const subjectCells = 36;

function evidenceLines({ told }: DemoResult, paint: Paint): RichLine[] {
  const found = told
    .flatMap(({ lane, answer }) => answer.evidence.map((one) => ({ lane, ...one })))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return found.flatMap(({ lane, green, command, commit = '', onto, exit, output }): RichLine[] => {
    const head: RichLine = [
      piece(green ? '✓' : '✗', green ? paint.green : paint.red),
      piece(` ${plainLine(command)}`, paint.bold),
      piece(`  ${lane.padEnd(nameCells)}`, laneColour(lane, paint)),
      piece(`  ${shortCommit(commit)}  exit code ${exit ?? '?'}`, paint.dim),
      piece(onto === undefined ? '' : `  together with ${shortCommit(onto)}`, paint.dim),
    ];
    const why = green
      ? []
      : plain(output)
          .split('\n')
          .filter((line) => line.startsWith('not ok'))
          .map((line): RichLine => [piece(`  ${line}`, paint.red)]);
    return [head, ...why];
  });
}

function reportLines({ summary: text, done, open }: Told['reports'][number], cells: number, paint: Paint): RichLine[] {
  const item =
    (sign: string, colour: (text: string) => string) =>
    (line: string): RichLine => [piece(`${sign} `, colour), piece(plainLine(line))];
  return [
    ...wrap(plainLine(text), cells).map((line): RichLine => [piece(line)]),
    ...done.map(item('✓', paint.green)),
    ...open.map(item('○', paint.yellow)),
  ];
}

function summary({ told, elapsedMs }: DemoResult, paint: Paint): string {
  const evidence = told.flatMap(({ answer }) => answer.evidence);
  const refused = evidence.filter(({ green }) => !green).length;
  const facts = [
    counted(told.length, 'agent'),
    `gate run ${evidence.length} times`,
    `${counted(refused, 'claim')} refuted and repaired`,
    seconds(elapsedMs),
  ];
  return `  ${paint.green('✓')} ${paint.bold('landed')}  ${facts.join(', ')}\n`;
}

function nextSteps({ next, directory }: DemoResult, width: number, paint: Paint): string {
  const lines = next.flatMap(([command, what]) => [
    `    ${paint.cyan(command)}\n`,
    `${painted([piece(`      ${what}`, paint.dim)], width)}\n`,
  ]);
  return `  ${paint.bold('Try next')}\n${lines.join('')}\n  ${paint.dim(`All of it is kept in ${directory}; delete it when you like.`)}\n`;
}
