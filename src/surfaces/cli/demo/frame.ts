import { type Piece, painted, piece, type RichLine, spread } from '../terminal/rich.ts';
import type { Paint, ViewStyle } from '../views/style.ts';
import type { DemoLane, DemoStage } from './lanes.ts';
import type { Beat } from './story.ts';

/** Everything there is to see at one moment. */
export interface Scene {
  readonly elapsedMs: number;
  readonly lanes: readonly DemoLane[];
  readonly story: readonly (Beat & { readonly atMs: number })[];
}

const widest = 100;
const beatsShown = 4;
const INDENT = '  ';

/** The demo while it is played. As many lines at any moment, so that nothing jumps. */
export function frame({ elapsedMs, lanes, story }: Scene, look: Pick<ViewStyle, 'paint' | 'width'>): string {
  const { paint } = look;
  const width = Math.min(look.width, widest);
  const cells = barCells(width);
  const told = story.slice(-beatsShown).map((beat) => painted([piece(INDENT), ...beatLine(beat, paint)], width));
  return [
    '',
    head(elapsedMs, width, paint),
    '',
    ...lanes.flatMap((lane) => [...laneLines(lane, { elapsedMs, width, cells, paint }), '']),
    ...told,
    ...Array.from({ length: beatsShown - told.length }, () => ''),
    '',
  ]
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

const head = (elapsedMs: number, width: number, paint: Paint): string =>
  spread(
    [piece(INDENT), piece('Fleet demo', paint.bold), piece('  three agents, one gate: nothing is believed unproved', paint.dim)],
    [piece(seconds(elapsedMs), paint.dim)],
    width,
  );

/** Tenths are wanted where everything takes seconds. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function beatLine({ atMs, lane, kind, text }: Scene['story'][number], paint: Paint): RichLine {
  const [sign, colour] = SIGNS[kind];
  return [
    piece(`${seconds(atMs).padStart(6)}  `, paint.dim),
    piece(sign, paint[colour]),
    piece(` ${lane.padEnd(nameCells)}`, laneColour(lane, paint)),
    piece(`  ${text}`, kind === 'bad' ? paint.red : undefined),
  ];
}

const SIGNS: Readonly<Record<Beat['kind'], readonly [sign: string, colour: 'cyan' | 'green' | 'red' | 'yellow']>> = {
  going: ['›', 'cyan'],
  good: ['✓', 'green'],
  bad: ['✗', 'red'],
  person: ['•', 'yellow'],
};

/** Width of the longest name of a lane. */
export const nameCells = 9;
const COLOURS: Readonly<Record<string, 'cyan' | 'magenta' | 'blue'>> = { implement: 'cyan', review: 'magenta', refine: 'blue' };
export const laneColour = (lane: string, paint: Paint): ((text: string) => string) => paint[COLOURS[lane] ?? 'yellow'];

interface Drawing {
  readonly elapsedMs: number;
  readonly width: number;
  readonly cells: number;
  readonly paint: Paint;
}

function laneLines(lane: DemoLane, drawing: Drawing): string[] {
  const { paint, width } = drawing;
  const colour = laneColour(lane.name, paint);
  const took = lane.tookMs === 0 ? '' : seconds(lane.tookMs);
  return [
    spread(
      [
        piece(INDENT),
        laneSign(lane, drawing),
        piece(` ${lane.name.padEnd(nameCells)}`, (text) => paint.bold(colour(text))),
        piece(`  ${lane.title}`),
      ],
      [piece(took, paint.dim)],
      width,
    ),
    painted(
      [piece('    '), ...lane.stages.flatMap((stage, index) => [...(index > 0 ? [piece('  ')] : []), ...bar(stage, drawing)])],
      width,
    ),
    painted([piece('    '), piece(lane.words, lane.state === 'waiting' ? paint.dim : paint.italic)], width),
  ];
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const turnMs = 80;
const spinner = (elapsedMs: number): string => SPINNER[Math.floor(elapsedMs / turnMs) % SPINNER.length] ?? '';

function laneSign({ state }: DemoLane, { paint, elapsedMs }: Drawing): Piece {
  if (state === 'done') return piece('✓', paint.green);
  if (state === 'blocked') return piece('!', paint.yellow);
  if (state === 'failed' || state === 'canceled') return piece('✗', paint.red);
  return state === 'waiting' || state === 'queued' || state === 'draft'
    ? piece('○', paint.dim)
    : piece(spinner(elapsedMs), paint.cyan);
}

/** What is left for each bar when four stages with their names stand side by side. */
const barCells = (width: number): number => Math.max(3, Math.min(14, Math.floor((width - 4 - 4 * 10) / 4)));

/** `agent ━━━━━╌╌╌ ⠹` */
function bar({ name, state, tookMs }: DemoStage, { cells, paint, elapsedMs }: Drawing): Piece[] {
  const full = state === 'ahead' ? 0 : state === 'going' ? Math.round(cells * guess(name, tookMs)) : cells;
  const colour = state === 'bad' ? paint.red : state === 'good' ? paint.green : paint.cyan;
  const mark = { ahead: ' ', going: spinner(elapsedMs), good: '✓', bad: '✗' }[state];
  return [
    piece(`${name} `, state === 'ahead' ? paint.dim : undefined),
    piece('━'.repeat(full), colour),
    piece('╌'.repeat(cells - full), paint.dim),
    piece(` ${mark}`, colour),
  ];
}

const USUAL_MS: Readonly<Record<DemoStage['name'], number>> = { agent: 1500, repair: 1000, gate: 400, land: 300 };

/** Nobody knows how long it will take: the bar comes ever nearer to its end and does not reach it. */
const guess = (name: DemoStage['name'], tookMs: number): number => 1 - Math.exp(-tookMs / USUAL_MS[name]);

export const wholeWidth = (width: number): number => Math.min(width, widest);
