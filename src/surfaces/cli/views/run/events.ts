import type { OutputOf } from '../../../../contract/call.ts';
import type { RunEvent } from '../../../../contract/run-events.ts';
import { ago } from '../../terminal/ages.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { truncate } from '../../terminal/width.ts';
import { wrap } from '../../terminal/wrap.ts';
import { contextText, dollarsText, quotaText, tokensText } from '../cost/cost.ts';
import { counted, type Paint, type ViewStyle } from '../style.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type Colour = (text: string) => string;

/** One entry as it is shown: its sign, and its text beside it. */
interface Shown {
  readonly sign: string;
  readonly text: string;
  readonly signColour?: Colour;
  readonly colour?: Colour;
}

/** What an agent said and did, like a conversation. */
export const eventLines = ({ items }: OutputOf<'run.events'>, look: ViewStyle): string => eventTeller(look)(items);

/** Beyond this a tool whose end has not been seen is forgotten. */
const MOST_OPEN = 1_000;
const ONE_LINE = 300;
/** Where the eye finds the text: below it, the place of an entry takes too much of the line. */
const ROOM_FOR_PLACES = 60;
const PLACE = 9;

/** Tells page after page, and remembers what the one before began. */
export function eventTeller(look: ViewStyle): (items: readonly RunEvent[]) => string {
  const open = new Map<string, string>();
  let said = '';
  return (items) => {
    const ends = new Map(items.flatMap((event) => (event.type === 'tool-done' ? [[event.id, event] as const] : [])));
    const merged = new Set<RunEvent>();
    const lines: string[] = [];
    for (const event of items) {
      if (merged.has(event)) continue;
      if (event.type === 'tool') {
        const end = ends.get(event.id);
        if (end && end.at >= event.at) merged.add(end);
        else open.set(event.id, event.name);
        if (open.size > MOST_OPEN) open.clear();
        lines.push(laid(toolShown(event, end, look.paint), event.at, look));
        continue;
      }
      if (event.type === 'tool-done') {
        lines.push(laid(doneShown(event, open.get(event.id) ?? event.id, look.paint), event.at, look));
        open.delete(event.id);
        continue;
      }
      if (event.type === 'said') said = event.text;
      // Most programs end with what they said last.
      const isRepeated = event.type === 'ended' && event.summary.trim() === said.trim();
      lines.push(laid(shown(isRepeated ? { ...event, summary: '' } : event, look), event.at, look));
    }
    return lines.join('');
  };
}

/** The text beside its sign, wrapped under itself. */
function laid({ sign, text, signColour = same, colour = same }: Shown, at: number, { paint, width }: ViewStyle): string {
  const hasPlace = width >= ROOM_FOR_PLACES;
  const margin = hasPlace ? PLACE + 2 : 0;
  const place = hasPlace ? `${paint.dim(String(at).padStart(PLACE))}  ` : '';
  const [first = '', ...rest] = wrap(plain(text).trimEnd(), Math.max(20, width - margin - 2));
  const under = rest.map((line) => (line === '' ? '\n' : `${' '.repeat(margin + 2)}${colour(line)}\n`));
  return `${place}${signColour(sign)} ${colour(first)}`.trimEnd() + `\n${under.join('')}`;
}

const same: Colour = (text) => text;

function toolShown({ name, detail }: Of<'tool'>, end: Of<'tool-done'> | undefined, paint: Paint): Shown {
  const text = truncate(plainLine([name, detail].filter(Boolean).join('  ')), ONE_LINE);
  if (!end) return { sign: '▸', text, signColour: paint.cyan, colour: paint.dim };
  return { ...marks(end.ok, paint), text, colour: paint.dim };
}

const doneShown = ({ ok }: Of<'tool-done'>, name: string, paint: Paint): Shown => ({
  ...marks(ok, paint),
  text: truncate(`${plainLine(name)} ${ok ? 'is done' : 'failed'}`, ONE_LINE),
  colour: paint.dim,
});

const marks = (ok: boolean, paint: Paint): Pick<Shown, 'sign' | 'signColour'> =>
  ok ? { sign: '✓', signColour: paint.green } : { sign: '✗', signColour: paint.red };

function shown(event: Exclude<RunEvent, Of<'tool' | 'tool-done'>>, { paint, nowMs }: ViewStyle): Shown {
  const quiet = (sign: string, text: string): Shown => ({ sign, text, signColour: paint.dim, colour: paint.dim });
  const loud = (sign: string, text: string, colour: Colour): Shown => ({ sign, text, signColour: colour, colour });
  switch (event.type) {
    case 'opened':
      return quiet('○', `session ${plainLine(event.session)}`);
    case 'said':
      return { sign: '●', text: event.text };
    case 'thought':
      return quiet('·', event.text);
    case 'spent':
      return quiet('$', spentText(event));
    case 'context':
      return quiet('◔', `context: ${contextText(event)}`);
    case 'quota':
      return quiet('◔', `quota: ${quotaText([event], nowMs)}`);
    case 'limited':
      return loud('!', limitedText(event, nowMs), paint.yellow);
    case 'asked':
      return loud('?', askedText(event), paint.magenta);
    case 'heard':
      return quiet('→', `message ${event.n} has reached it`);
    case 'reported':
      return loud('■', `report: ${reportText(event.report)}`, paint.cyan);
    case 'ended':
      return loud(...endedWords(event), event.verdict === 'succeeded' ? paint.green : paint.red);
    case 'unknown':
      return loud('~', `${counted(event.lines, 'line')} its executor does not know`, paint.yellow);
    case 'failed':
      return loud('✗', event.why, paint.red);
    case 'outcome':
      return loud('■', outcomeText(event), event.outcome === 'succeeded' ? paint.green : paint.red);
  }
}

const spentText = ({ inputTokens, outputTokens, cachedTokens = 0, costUsd, model }: Of<'spent'>): string =>
  [
    tokensText({ inputTokens, outputTokens, cachedTokens }),
    costUsd !== undefined && dollarsText({ inputTokens, outputTokens, cachedTokens, costUsd }),
    model && plainLine(model),
  ]
    .filter(Boolean)
    .join(', ');

const limitedText = ({ until, why }: Of<'limited'>, nowMs: number): string =>
  `its provider refuses more work${until === undefined ? '' : ` until ${plainLine(until)} (${ago(until, nowMs)})`}${why ? `: ${plainLine(why)}` : ''}`;

const askedText = ({ kind, text, options }: Of<'asked'>): string =>
  `${kind === 'permission' ? 'asks for permission: ' : ''}${text}${options.length > 0 ? ` [${options.map(plainLine).join(' | ')}]` : ''}`;

/** What stands in a report is the agent's: shown by its summary where it has one. */
function reportText(report: unknown): string {
  const { status, summary } = Object(report) as { status?: unknown; summary?: unknown };
  if (typeof summary !== 'string') return truncate(plainLine(JSON.stringify(report) ?? ''), ONE_LINE);
  return `${typeof status === 'string' ? `${plainLine(status)}: ` : ''}${summary}`;
}

const endedWords = ({ verdict, summary }: Of<'ended'>): [string, string] => [
  verdict === 'succeeded' ? '✓' : '✗',
  `${verdict.replaceAll('_', ' ')}${summary.trim() === '' ? '' : `: ${summary}`}`,
];

function outcomeText({ outcome, exit, detail = '', time }: Of<'outcome'>): string {
  const code = exit === undefined || detail.includes(`exit code ${exit}`) ? '' : `exit code ${exit}`;
  return [`the run ended: ${outcome.replaceAll('_', ' ')}`, code, plainLine(detail), time].filter(Boolean).join(', ');
}
