import { parseScenario } from './parse-scenario.ts';
import type { ModelScenario } from './scenario.ts';

const REPORT = 'try call submit_report {"status":"succeeded","summary":"hello.txt is written","done":["wrote hello.txt"]}';
const WORK = `write hello.txt hello from a simulated model\n${REPORT}\nsay hello.txt is written.`;

/** A scenario of work that meets a fault first, and goes on if the fault ends. */
const met = (about: string, ...faults: readonly string[]): string =>
  `# ${about}\n${faults.map((fault) => `fault ${fault}\n`).join('')}${WORK}`;

const TEXTS: Readonly<Record<string, string>> = {
  hello: '# says hello\nsay Hello from a simulated model.',
  happy: `# thinks, writes a file, looks at it, reports\nthink A small file will do.\nsay I will write hello.txt.\nwrite hello.txt hello from a simulated model\nrun cat hello.txt\n${REPORT}\nsay hello.txt is written.`,
  echo: '# says what it was told\nsay You said: {asked}',
  write: '# writes a file\nwrite hello.txt hello from a simulated model\nsay hello.txt is written.',
  edit: '# writes a file, reads and changes it\nwrite hello.txt hello\nread hello.txt\nedit hello.txt hello => goodbye\nsay It says goodbye now.',
  shell: '# runs a command\nrun echo hello from a shell\nsay {result}',
  report: `# hands in a report over MCP\n${REPORT.replace('try ', '')}\nsay Reported.`,
  ask: '# asks a person over MCP\ncall ask {"question":"Which colour?","options":["red","blue"]}\nsay It is {result}',
  parallel:
    '# writes two files and runs a command at once\ntogether\nwrite one.txt 1\nwrite two.txt 2\nrun echo three\nend\nsay All three are done.',
  think: '# thinks before it speaks\nthink Let me see what this is about.\nsay I have thought about it.',
  loop: '# runs the same command over and over\nrepeat\nrun echo again',
  long: '# works for a minute\nrun for i in 1 2 3 4 5 6; do echo $i; sleep 10; done\nsay That took a minute.',
  slow: '# speaks slowly\nslow 500\nsay One two three four five six seven eight nine ten eleven twelve.',
  gate: '# waits until it is let go, then works\ngate\nwrite hello.txt hello\nsay hello.txt is written.',
  'nearly-full': `# a context of 200,000 tokens that is nearly full\nusage 190000 500\n${WORK}`,
  'nearly-full-1m': `# a context of a million tokens that is nearly full\nusage 950000 500\n${WORK}`,
  refusal: '# refuses\nsay I cannot help with that.\nstop refusal',
  'max-tokens': '# stops in the middle because its answer is too long\nsay This answer goes on and\nstop max_tokens',
  empty: '# an answer with nothing in it\nempty',
  'quota-warning': `# works, and is told that its subscription is nearly used up\nquota 95% 3600s\n${WORK}`,
  'quota-spent': met('the subscription is used up for an hour', 'quota_spent always 3600s'),
  'rate-limit': met('too many requests, twice; then it works', 'rate_limit 2x 1s'),
  'rate-limit-always': met('too many requests, for ever', 'rate_limit always 1s'),
  'rate-limit-hour': met('too many requests; to be asked again in an hour', 'rate_limit always 3600s'),
  overloaded: met('overloaded, twice; then it works', 'overloaded 2x'),
  'overloaded-always': met('overloaded, for ever', 'overloaded always'),
  'server-error': met('an error of the provider, twice; then it works', 'server_error 2x'),
  'server-error-always': met('an error of the provider, for ever', 'server_error always'),
  unauthorized: met('the key is not valid', 'unauthorized always'),
  forbidden: met('the account may not do that', 'forbidden always'),
  credit: met('the credit is used up', 'credit always'),
  'bad-request': met('the request is called invalid', 'bad_request always'),
  'unknown-model': met('the model does not exist', 'unknown_model always'),
  'context-full': met('the prompt is too long', 'context_full always'),
  hang: met('no byte comes, once; then it works', 'hang'),
  'hang-always': met('no byte ever comes', 'hang always'),
  stall: met('an answer stops in the middle and stays open, once; then it works', 'stall'),
  'stall-always': met('every answer stops in the middle and stays open', 'stall always'),
  truncate: met('an answer ends in the middle, once; then it works', 'truncate'),
  drop: met('the connection breaks in the middle of an answer, once; then it works', 'drop'),
  'drop-always': met('the connection breaks in the middle of every answer', 'drop always'),
  malformed: met('an answer is garbage, once; then it works', 'malformed'),
  'malformed-always': met('every answer is garbage', 'malformed always'),
  'stream-error': met('an error is told in the middle of an answer, once; then it works', 'stream_error'),
};

/** The scenarios that come with Fleet, by name. */
export const builtInScenarios = (): Readonly<Record<string, ModelScenario>> =>
  Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, parseScenario(text)]));
