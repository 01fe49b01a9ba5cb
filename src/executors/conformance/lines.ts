import fc from 'fast-check';
import { EVENT_FIELDS } from '../agent-event.ts';

/** Lines no program means anything by. */
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

/** Anything a program may print: text, JSON, near misses of our own events, and broken pieces of the given lines. */
export function anyLine(recorded: readonly string[]): fc.Arbitrary<string> {
  const oneLine = (text: string): string => text.replaceAll('\n', ' ');
  const event = fc
    .record({
      type: fc.constantFrom(...Object.keys(EVENT_FIELDS)),
      fields: fc.dictionary(fieldName, fc.jsonValue(), { maxKeys: 5 }),
    })
    .map(({ type, fields }) => JSON.stringify({ ...fields, type }));
  const broken = fc
    .record({
      line: fc.constantFrom(...recorded, '{}'),
      at: fc.nat(200),
      cut: fc.nat(20),
      put: fc.string({ unit: 'binary', maxLength: 8 }),
    })
    .map(({ line, at, cut, put }) => oneLine(line.slice(0, at) + put + line.slice(at + cut)));
  return fc.oneof(fc.string({ unit: 'binary' }).map(oneLine), fc.json(), event, broken, fc.constantFrom(...recorded, '{}'));
}

const fieldName = fc.constantFrom(...Object.values(EVENT_FIELDS).flatMap((fields) => Object.keys(fields)), '__proto__', 'other');
