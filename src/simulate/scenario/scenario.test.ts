import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ACCIDENTS, REFUSALS } from '../provider-faults.ts';
import { builtInScenarios } from './built-in.ts';
import { ModelScenarioError, parseScenario } from './parse-scenario.ts';
import { STEP_WORDS } from './step-words.ts';

const guide = readFileSync(new URL('../../../docs/guide/simulate.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/^```scenario\n(.*?)^```/gms)].map((match) => match[1] ?? '');

describe('a scenario for a model', () => {
  it('joins texts with the deed after them into one answer, and ends a turn with a text', () => {
    const { about, turns } = parseScenario(
      '# one thing\n# and more\n\nthink Hm.\nsay I write.\nwrite "a b.txt" hello you\nrun ls\nturn\nsay Bye.',
    );
    expect(about).toBe('one thing and more');
    expect(turns.map(({ answers }) => answers.map(({ parts }) => parts))).toEqual([
      [
        [
          { do: 'think', text: 'Hm.' },
          { do: 'say', text: 'I write.' },
          { do: 'write', file: 'a b.txt', text: 'hello you\n' },
        ],
        [{ do: 'run', command: 'ls' }],
        [{ do: 'say', text: 'Done.' }],
      ],
      [[{ do: 'say', text: 'Bye.' }]],
    ]);
  });

  it('parses long texts, edits, calls, usage and faults', () => {
    const { turns } = parseScenario(`
edit a.txt <<END
old
two
=>
new
END
edit b.txt one => two
try call fleet.ask <<JSON
{"question": "Which?"}
JSON
fault rate_limit 3x 60s
fault hang always
usage 1000 20 900
quota 95% 3600s
slow 10
say <<X
One.

Two.
X`);
    const [first, second, third, last] = turns[0]?.answers ?? [];
    expect(first?.parts).toEqual([{ do: 'edit', file: 'a.txt', from: 'old\ntwo', to: 'new' }]);
    expect(second?.parts).toEqual([{ do: 'edit', file: 'b.txt', from: 'one', to: 'two' }]);
    expect(third?.parts).toEqual([{ do: 'call', tool: 'fleet.ask', arguments: { question: 'Which?' }, ifOffered: true }]);
    expect(last).toMatchObject({
      faults: [
        { kind: 'rate_limit', times: 3, seconds: 60 },
        { kind: 'hang', times: Number.MAX_SAFE_INTEGER },
      ],
      usage: { input: 1000, output: 20, cached: 900 },
      quota: { percent: 95, seconds: 3600 },
      paceMs: 10,
      parts: [{ do: 'say', text: 'One.\n\nTwo.' }],
    });
  });

  it.each([
    ['', 'line 1: seen no step, expected at least one'],
    ['say hi\n\nwrte a', 'line 3: seen "wrte", expected one of say, think, write'],
    ['say', 'line 1: seen nothing, expected a text'],
    ['write', 'line 1: seen nothing, expected the name of a file'],
    ['edit a b', 'line 1: seen "b", expected a file and `OLD => NEW`'],
    ['read a b', 'line 1: seen "b", expected nothing after it'],
    ['call', 'line 1: seen nothing, expected the name of a tool'],
    ['call x [1]', 'line 1: seen "[1]", expected arguments as a JSON object'],
    ['call x {', 'line 1: seen "{", expected arguments as a JSON object ('],
    ['try run ls', 'line 1: seen "run ls", expected `call`'],
    ['fault rate-limit', 'line 1: seen "rate-limit", expected one of rate_limit'],
    ['fault hang twice', 'line 1: seen "twice", expected how often (`2x`, `always`) or seconds (`30s`)'],
    ['usage many 1', 'line 1: seen "many", expected tokens read as a whole number'],
    ['usage 1 1 2', 'line 1: seen "2", expected at most the 1 tokens read'],
    ['quota 5', 'line 1: seen "5", expected how much is used'],
    ['slow down', 'line 1: seen "down", expected milliseconds'],
    ['stop it', 'line 1: seen "it", expected one of end, max_tokens, refusal'],
    ['gate open', 'line 1: seen "open", expected nothing after it'],
    ['say <<END\nhi', 'line 1: seen "<<END", expected a line "END" that ends its text'],
    ['together\nrun ls', 'line 2: seen nothing, expected `end`'],
    ['end', 'line 1: seen "end", expected `together` and a deed before it'],
    ['together\ntogether', 'line 2: seen "together", expected `end` first'],
    ['repeat\nsay hi', 'line 2: seen "repeat", expected a deed after it'],
    ['say hi\nrepeat', 'line 2: seen "repeat", expected it once in a turn'],
    ['empty\nsay hi', 'line 2: seen "a step after the last answer of its turn", expected `turn` before it'],
  ])('%j is refused with its line, what was seen and what was expected', (text, message) => {
    expect(() => parseScenario(text)).toThrow(ModelScenarioError);
    expect(() => parseScenario(text)).toThrow(message);
  });

  it('has a built-in one for every fault, each with a description', () => {
    const scenarios = Object.values(builtInScenarios());
    const met = scenarios.flatMap(({ turns }) => turns.flatMap(({ answers }) => answers.flatMap(({ faults }) => faults)));
    expect(new Set(met.map(({ kind }) => kind))).toEqual(new Set([...REFUSALS, ...ACCIDENTS]));
    expect(scenarios.filter(({ about }) => about === '')).toEqual([]);
  });

  it('is fully described by its guide', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) expect(() => parseScenario(example)).not.toThrow();
    for (const word of [...Object.keys(STEP_WORDS), ...REFUSALS, ...ACCIDENTS])
      expect(guide, word).toMatch(new RegExp(`\`${word}\\b`));
  });
});
