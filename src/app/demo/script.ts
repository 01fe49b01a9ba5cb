/* What is played: a small library, what three agents do to it, and what you do meanwhile. */

/** The project before anybody has touched it. */
export const PROJECT: Readonly<Record<string, string>> = {
  'package.json': `{ "name": "tempo", "type": "module", "scripts": { "test": "node test.js" } }
`,
  'tempo.js': `const UNITS = { h: 3_600_000, m: 60_000, s: 1_000 };

/** '1h 30m' becomes 5400000. */
export function parse(text) {
  return text.split(' ').reduce((sum, part) => {
    const [, count, unit] = /^(\\d+)([hms])$/.exec(part) ?? [];
    if (unit === undefined) throw new TypeError(\`not a duration: \${text}\`);
    return sum + Number(count) * UNITS[unit];
  }, 0);
}
`,
  'test/parse.js': `import { parse } from '../tempo.js';

export const cases = [
  ['parses hours, minutes and seconds', () => parse('1h 1m 1s'), 3_661_000],
  ['refuses what is no duration', () => parse('soon'), 'TypeError: not a duration: soon'],
];
`,
  'test.js': `import { readdirSync } from 'node:fs';

let failed = 0;
for (const file of readdirSync(new URL('test/', import.meta.url)).sort()) {
  for (const [name, run, expected] of (await import(\`./test/\${file}\`)).cases) {
    let got;
    try {
      got = String(run());
    } catch (error) {
      got = String(error);
    }
    const isRight = got === String(expected);
    failed += isRight ? 0 : 1;
    console.log(isRight ? \`ok      \${name}\` : \`not ok  \${name}: expected \${expected}, got \${got}\`);
  }
}
console.log(failed === 0 ? 'all of it works' : \`\${failed} failed\`);
process.exitCode = failed === 0 ? 0 : 1;
`,
};

/** The gate: Fleet runs it on exactly the commit that is to be believed. */
export const GATE = 'node test.js';

export interface DemoPart {
  readonly name: 'implement' | 'review' | 'refine';
  readonly title: string;
  readonly prompt: string;
  readonly kind: 'implement' | 'review';
  /** What becomes of it: the first two hand on what they made, the last one lands all of it. */
  readonly integration: 'none' | 'auto';
  readonly scenario: string;
}

/** It does not run its own test, and says that it did. */
const IMPLEMENT = `untold: say I read tempo.js: parse is there, format is missing
untold: sleep 350
untold: append tempo.js <<END

/** 5400000 becomes '1h 30m'. */
export function format(ms) {
  const hours = Math.floor(ms / UNITS.h);
  const minutes = Math.floor(ms / UNITS.m);
  const seconds = Math.floor(ms / UNITS.s) % 60;
  const parts = [hours && \`\${hours}h\`, minutes && \`\${minutes}m\`, seconds && \`\${seconds}s\`];
  return parts.filter(Boolean).join(' ');
}
END
untold: say format is written, now a test for it
untold: sleep 350
untold: edit test/format.js <<END
import { format } from '../tempo.js';

export const cases = [
  ['formats seconds', () => format(5_000), '5s'],
  ['formats hours and minutes', () => format(3_660_000), '1h 1m'],
];
END
untold: commit format durations
untold: report {"status":"done","summary":"format() is written, and all tests pass","tests":[{"command":"node test.js","status":"passed"}]}
told: say The gate is right: 61 minutes are an hour counted twice
told: sleep 400
told: sh sed 's|/ UNITS.m);|/ UNITS.m) % 60;|' tempo.js > fixed && mv fixed tempo.js
told: run node test.js
told: commit count each hour once
told: report {"status":"done","summary":"Minutes go up to 59 now; I have run the tests this time","done":["minutes modulo 60"],"tests":[{"command":"node test.js","status":"passed"}]}
`;

/** What it finds is really so: the step before its report would fail otherwise. */
const REVIEW = `say I read the diff of format() and its tests
sleep 400
run node test.js
say The tests are green; what does it make of zero?
sleep 350
run node --input-type=module -e "import { format } from './tempo.js'; process.exit(format(0) === '' ? 0 : 1)"
report {"status":"done","summary":"One finding: format(0) is an empty text, which parse() refuses","done":["read the diff","ran the tests"],"open":["format(0) is an empty text"]}
`;

const REFINE = `say The review found that format(0) is empty: it should be 0s
sleep 450
sh sed "s#join(' ');#join(' ') || '0s';#" tempo.js > fixed && mv fixed tempo.js
say And a test, so that it stays so
sleep 350
edit test/format.js <<END
import { format } from '../tempo.js';

export const cases = [
  ['formats seconds', () => format(5_000), '5s'],
  ['formats hours and minutes', () => format(3_660_000), '1h 1m'],
  ['formats nothing at all', () => format(0), '0s'],
];
END
run node test.js
commit format zero as 0s
report {"status":"done","summary":"format(0) is 0s, as the review asked, and parse() understands it","done":["zero is formatted as 0s","a test that keeps it so"],"open":["days are still counted in hours"]}
`;

export const PARTS: readonly DemoPart[] = [
  {
    name: 'implement',
    title: 'Format durations',
    prompt: "Write format(ms) in tempo.js, the opposite of parse: 5400000 becomes '1h 30m'. Add tests.",
    kind: 'implement',
    integration: 'none',
    scenario: IMPLEMENT,
  },
  {
    name: 'review',
    title: 'Review format()',
    prompt: 'Review the new format() in tempo.js. Change nothing; report what you find.',
    kind: 'review',
    integration: 'none',
    scenario: REVIEW,
  },
  {
    name: 'refine',
    title: 'Refine format() as the review asks',
    prompt: 'Put right what the review of format() found, with a test. It lands on main.',
    kind: 'implement',
    integration: 'auto',
    scenario: REFINE,
  },
];

/** What you commit while the last agent works: what lands is not what it was tried on alone. */
export const MEANWHILE = {
  file: 'README.md',
  text: '# tempo\n\nDurations for people: `1h 30m`.\n',
  message: 'say what tempo is',
};
