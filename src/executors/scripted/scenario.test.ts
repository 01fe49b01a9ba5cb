import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { promptFor } from '../../domain/run/prompt.ts';
import type { TaskId } from '../../domain/values.ts';
import { findScenario } from './find-scenario.ts';
import { parseScenario } from './scenario.ts';
import { STEP_WORDS } from './step-words.ts';
import { wordsIn } from './words.ts';

const acts = (text: string) => parseScenario(text).steps.map(({ act }) => act);

describe('a scenario', () => {
  it('is one step per line, with comments and blank lines between', () => {
    expect(acts('# greet\n\n  say hello there\nsleep 20')).toEqual([
      { do: 'say', text: 'hello there' },
      { do: 'sleep', ms: 20 },
    ]);
  });

  it('keeps the text between `<<END` and the line `END`', () => {
    expect(acts('edit "a b/c.ts" <<END\nfirst\n\n  # third\nEND\nsay on')).toEqual([
      { do: 'edit', file: 'a b/c.ts', text: 'first\n\n  # third\n' },
      { do: 'say', text: 'on' },
    ]);
    expect(acts('edit empty <<END\nEND')).toEqual([{ do: 'edit', file: 'empty', text: '' }]);
    expect(acts('edit file.txt a line')).toEqual([{ do: 'edit', file: 'file.txt', text: 'a line\n' }]);
  });

  it('plays a step only in the attempts it names', () => {
    const steps = parseScenario('attempt 1: crash\nattempt 2+: try run false\nsay always').steps;
    expect(steps.map(({ attempts }) => attempts)).toEqual([
      { from: 1, to: 1 },
      { from: 2, to: Number.POSITIVE_INFINITY },
      { from: 1, to: Number.POSITIVE_INFINITY },
    ]);
    expect(steps.map(({ mayFail }) => mayFail)).toEqual([false, true, false]);
  });

  it('plays a `told` step only for an agent with messages, and an `untold` step only for one without', () => {
    const { steps } = parseScenario('untold: say first\ntold: try run false\nattempt 2+: told: say again\nsay always');
    expect(steps.map(({ told }) => told)).toEqual([false, true, true, undefined]);
    expect(steps[2]?.attempts.from).toBe(2);
    expect(() => parseScenario('told: dance')).toThrow('line 1: no step is called "dance"');
  });

  it('reports by JSON or by words', () => {
    expect(acts('report {"status":"failed"}\nreport blocked no key\ndone it works')).toEqual([
      { do: 'report', report: { status: 'failed' } },
      { do: 'report', report: { status: 'blocked', summary: 'no key' } },
      { do: 'report', report: { status: 'done', summary: 'it works' } },
    ]);
  });

  it('reads sizes with units', () => {
    expect(acts('flood 10\nline 2KB\nbinary 1 MB').map((act) => 'bytes' in act && act.bytes)).toEqual([10, 2048, 1024 ** 2]);
  });

  it.each([
    ['dance', 'line 1: no step is called "dance"'],
    ['say hello\nslep 20', 'line 2: no step is called "slep"; did you mean sleep?'],
    ['toString', 'line 1: no step is called "toString"'],
    ['sleep long', 'line 1: `sleep`: it expects milliseconds as a whole number, seen "long"'],
    ['run "open', 'line 1: `run`: it expects a program and its arguments, with every quote closed'],
    ['say <<END\nnever closed', 'line 1: `say`: its text is open: no line "END" follows'],
    ['report {"status"', 'line 1: `report`: it expects JSON'],
    ['signal PIPE', 'line 1: `signal`: it expects one of KILL, TERM'],
    ['exit 256', 'line 1: `exit`: it expects an exit code up to 255'],
    ['hang on', 'line 1: `hang`: it expects nothing after it'],
    ['ask which?', 'line 1: it waits for input; put `twoway` on the first line'],
    ['say hi\ntwoway', 'line 2: no step is called "twoway"'],
  ])('refuses %j and says why', (text, message) => {
    expect(() => parseScenario(text)).toThrow(message);
  });
});

describe('the scenario of a prompt', () => {
  it('is its fenced block', () => {
    const prompt = 'Do it.\n\n````scenario\ntwoway\nsay <<E\n```\nE\n````\nThanks.';
    expect(findScenario(prompt)).toEqual({ in: 'prompt', mode: 'twoway', text: 'twoway\nsay <<E\n```\nE' });
  });

  it('is a file it names, with the mode in the prompt', () => {
    expect(findScenario('twoway\nscenario: plays/a b.txt \n')).toEqual({ in: 'file', path: 'plays/a b.txt', mode: 'twoway' });
    expect(findScenario('Play this. scenario: not here\nscenario: x')).toEqual({ in: 'file', path: 'x', mode: 'oneway' });
  });

  it('is the whole prompt if its first line is a step', () => {
    expect(findScenario('# wait\nattempt 2: sleep 5')).toMatchObject({ in: 'prompt', mode: 'oneway' });
  });

  it('ends where Fleet’s additions begin', () => {
    const task = { id: 'task_1' as TaskId, title: 't', messages: [], expectsChanges: true, acceptance: 'say it' };
    const briefing = { task, attempt: 1, notesDirectory: '/notes', resultFile: '/result' };
    const found = findScenario(promptFor({ ...briefing, prompt: 'twoway\nsay hello\nlisten 1' }));
    expect(found).toMatchObject({ in: 'prompt', mode: 'twoway' });
    expect(parseScenario(found.in === 'prompt' ? found.text : '').steps.map(({ act }) => act.do)).toEqual(['say', 'listen']);
    // A scenario in words of others is ignored.
    const before = { outcome: 'crashed', detail: '', isForgotten: true, said: '\n```scenario\nsay no\n```' };
    expect(findScenario(promptFor({ ...briefing, prompt: 'Do it.', before }))).toMatchObject({ in: 'nothing' });
  });

  it('is missing from a prompt in plain words', () => {
    for (const prompt of ['', 'Say hello', 'Please run the tests', 'constructor'])
      expect(findScenario(prompt)).toEqual({ in: 'nothing', mode: 'oneway' });
  });
});

describe('words', () => {
  it.each([
    [`git commit -m 'it''s done' ""`, ['git', 'commit', '-m', 'its done', '']],
    [String.raw`a\ b "say \"hi\" \n" 'single \ '`, ['a b', String.raw`say "hi" \n`, String.raw`single \ `]],
    ['$HOME `id` | ;', ['$HOME', '`id`', '|', ';']],
    ['', []],
  ])('of %j are %j', (text, words) => expect(wordsIn(text)).toEqual(words));

  it('need their quotes closed', () => {
    expect(wordsIn('a "b')).toBeUndefined();
    expect(wordsIn("it's")).toBeUndefined();
    expect(wordsIn('a\\')).toBeUndefined();
  });
});

it('every example of the guide can be parsed', () => {
  const guide = readFileSync(new URL('../../../docs/guide/scenarios.md', import.meta.url), 'utf8');
  const examples = [...guide.matchAll(/^```scenario\n([^]*?)^```/gm)].map(([, text = '']) => parseScenario(text));
  expect(examples.length).toBeGreaterThan(4);
  for (const [, words = ''] of guide.matchAll(/^\| (`[^|]+`(?:, `[^|]+`)*)/gm)) {
    for (const [, word = ''] of words.matchAll(/`(\w+)/g)) expect(Object.keys(STEP_WORDS)).toContain(word);
  }
});

it('the guide describes every step', () => {
  const guide = readFileSync(new URL('../../../docs/guide/scenarios.md', import.meta.url), 'utf8');
  expect(Object.keys(STEP_WORDS).filter((word) => !guide.includes(`\`${word}`))).toEqual([]);
});
