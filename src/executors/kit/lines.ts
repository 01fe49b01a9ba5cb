import { EVENT_FIELDS } from '../agent-event.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Lines without meaning to any program. */
export const UNKNOWN_LINES: readonly string[] = [
  '',
  '   ',
  'plain words',
  '{',
  '{}',
  '[]',
  'null',
  '17',
  '"said"',
  '{"type":"a kind nobody knows","text":"hello"}',
  '{"type":null}',
  '{"type":["said"]}',
  '{"__proto__":{"type":"said","text":"hello"}}',
  '{"type":"constructor"}',
  '{"type":"said","text":"torn in the mid',
  '\u0000\ufffd\u001b[2J',
  '['.repeat(20_000),
  `{"type":"unknown","text":"${'x'.repeat(1_000_000)}"}`,
];

/** Makes random lines: text, JSON, near misses of Fleet's events, and broken pieces of the given lines. */
export function anyLine(recorded: readonly string[], dice: SeededRandom): () => string {
  const known = recorded.length === 0 ? ['{}'] : recorded;
  const kinds: readonly (() => string)[] = [
    () => anyText(dice, 40),
    () => JSON.stringify(anyValue(dice, 3)),
    () => JSON.stringify({ ...anyFields(dice), type: dice.pick(EVENTS) }),
    () => broken(dice.pick(known), dice),
    () => dice.pick(known),
  ];
  return () => oneLine(dice.pick(kinds)());
}

const oneLine = (text: string): string => text.replaceAll('\n', ' ');

const EVENTS = Object.keys(EVENT_FIELDS);
const FIELDS = [
  ...new Set([...Object.values(EVENT_FIELDS).flatMap((fields) => Object.keys(fields)), 'type', '__proto__', 'other']),
];

const anyFields = (dice: SeededRandom): object =>
  Object.fromEntries(Array.from({ length: dice.below(6) }, () => [dice.pick(FIELDS), anyValue(dice, 2)]));

function anyValue(dice: SeededRandom, depth: number): unknown {
  const list = () => Array.from({ length: dice.below(4) }, () => anyValue(dice, depth - 1));
  const plain: readonly (() => unknown)[] = [
    () => null,
    () => dice.below(2) === 0,
    () => dice.below(1_000),
    () => (dice.below(2_000_000) - 1_000_000) / 7,
    () => 1e308,
    () => anyText(dice, 12),
  ];
  const deep: readonly (() => unknown)[] = [list, () => anyFields(dice)];
  return dice.pick(depth > 0 ? [...plain, ...deep] : plain)();
}

/** First code points of ranges that often break programs: letters, controls, other scripts, marks, emoji. */
const RANGES = [0x20, 0x00, 0x7f, 0x400, 0x2028, 0x300, 0xff00, 0x1f300] as const;

const anyText = (dice: SeededRandom, length: number): string =>
  String.fromCodePoint(...Array.from({ length: dice.below(length) }, () => dice.pick(RANGES) + dice.below(0x5f)));

function broken(line: string, dice: SeededRandom): string {
  const at = dice.below(Math.min(line.length, 200) + 1);
  return line.slice(0, at) + anyText(dice, 8) + line.slice(at + dice.below(20));
}
