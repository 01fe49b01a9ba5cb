import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_FIELDS } from '../agent-event.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { VERDICTS } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';
import { parseCustomExecutor } from './custom.ts';

const guide = readFileSync(new URL('../../../docs/guide/custom-executors.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/^```toml\n([^]*?)^```/gm)].map(([, toml = '']) => toml);
const [text, jsonl, acp, twoway] = ['text', 'jsonl', 'acp', 'twoway'].map((name, index) =>
  parseCustomExecutor(name, examples[index] ?? ''),
);

/** The examples of the guide must pass the conformance suite. */
for (const executor of [text, jsonl, acp, twoway]) {
  if (!executor) throw new Error('docs/guide/custom-executors.md has lost an example');
  const transcripts = new URL(`./transcripts/${executor.name}/`, import.meta.url);
  executorConformance({ executor, transcripts });
}

const launched = (toml: string, job: object = {}) => parseCustomExecutor('mine', toml).launch({ ...plainJob, ...job });
const rule = (toml: string) =>
  parseCustomExecutor('mine', `command = ["x"]\noutput = "jsonl"\nmode = "twoway"\n[[events]]\n${toml}`);
const eventsOf = (toml: string, line: object) => {
  const executor = rule(toml);
  return executor.step(executor.begin(plainJob).state, JSON.stringify(line)).events;
};

describe('the command of a custom executor', () => {
  it('is filled in argument by argument, without a shell', () => {
    const prompt = '$(id); "x" \'y\'\n{model}';
    const { command, args } = launched('command = ["prog", "-p={prompt}", "{prompt_file}:{result_file}", "{{prompt}}"]', {
      prompt,
    });
    expect(command).toBe('prog');
    expect(args).toEqual([`-p=${prompt}`, `${plainJob.promptFile}:${plainJob.resultFile}`, '{prompt}']);
  });

  it('names the file of the MCP server of the run, if there is one', () => {
    const toml = 'command = ["prog", "--mcp-config", "{mcp_config}", "{prompt}"]';
    expect(launched(toml, { mcpConfig: '/runs/run_1/mcp.json' }).args).toEqual([
      '--mcp-config',
      '/runs/run_1/mcp.json',
      'make it so',
    ]);
    expect(launched(toml).args).toEqual(['make it so']);
  });

  it('leaves out arguments that need a model if there is none', () => {
    const toml = 'command = ["prog", "--model", "{model}", "-m={model}", "{prompt}"]\nenv = { M = "{model}", A = "b" }';
    expect(launched(toml)).toMatchObject({ args: ['make it so'], env: { A: 'b' } });
    expect(launched(toml, { model: 'big one' })).toMatchObject({
      args: ['--model', 'big one', '-m=big one', 'make it so'],
      env: { A: 'b', M: 'big one' },
    });
    expect(launched('command = ["prog", "run", "{model}"]').args).toEqual(['run']);
  });

  it('names the file of a prompt that is too long for a command line', () => {
    expect(launched('command = ["prog", "{prompt}"]', { prompt: 'x'.repeat(200_000) }).args).toEqual([
      `Read the file ${plainJob.promptFile} and do what it says.`,
    ]);
  });

  it('ends with the extra arguments of the task', () => {
    expect(launched('command = ["prog", "{prompt}"]', { extraArgs: ['--fast'] }).args).toEqual(['make it so', '--fast']);
  });
});

describe('the exit of a custom executor', () => {
  it('decides for a program that prints text', () => {
    const executor = parseCustomExecutor('mine', 'command = ["prog"]');
    let { state } = executor.begin(plainJob);
    for (const line of ['first', 'all is well', '']) state = executor.step(state, line).state;
    expect(executor.exit(state, 0)).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'all is well' }]);
    expect(executor.exit(state, 3)).toEqual([]);
  });

  it('adds nothing if its lines report the end', () => {
    expect(jsonl?.exit(jsonl.begin(plainJob).state, 0)).toEqual([]);
  });
});

describe('the rules of a custom executor', () => {
  it('take values from paths, from literals, and from the whole line', () => {
    const toml = 'when = { a.b = 1, "c.0" = true }\nthen = "reported"\nreport = "."';
    expect(eventsOf(toml, { a: { b: 1 }, c: [true] })).toEqual([{ type: 'reported', report: { a: { b: 1 }, c: [true] } }]);
    expect(eventsOf(toml, { a: { b: 2 }, c: [true] })).toEqual([]);
    expect(eventsOf('when = { t = "x" }\nthen = "said"\ntext = { value = "fixed" }', { t: 'x' })).toEqual([
      { type: 'said', text: 'fixed' },
    ]);
  });

  it('read times as dates, seconds and milliseconds', () => {
    const toml = 'when = { t = "x" }\nthen = "limited"\nuntil = "at"';
    const until = '2026-01-01T00:00:00.000Z';
    for (const at of [until, 1_767_225_600, 1_767_225_600_000])
      expect(eventsOf(toml, { t: 'x', at })).toEqual([{ type: 'limited', until }]);
    expect(eventsOf(toml, { t: 'x', at: 'soon' })).toEqual([]);
    expect(eventsOf(toml, { t: 'x' })).toEqual([{ type: 'limited' }]);
  });

  it('give no event if the line lacks a field, and never read inherited properties', () => {
    expect(eventsOf('when = { t = "x" }\nthen = "said"\ntext = "constructor.name"', { t: 'x' })).toEqual([]);
    expect(eventsOf('when = { t = "x" }\nthen = "context"\ntokens = "n"', { t: 'x', n: -1 })).toEqual([]);
  });
});

describe('an invalid file', () => {
  it.each([
    ['', 'executors/mine.toml: command is missing, expected a list of texts'],
    ['command = "prog"', 'command is "prog", expected a list of texts'],
    ['command = []', 'command is [], expected a list of texts'],
    ['command = ["{prompt}"]', 'expected the name of a program first'],
    [
      'command = ["x", "{promt}"]',
      'command[1] is "{promt}", expected {prompt} instead of {promt}, or {{promt}} for the word itself',
    ],
    [
      'command = ["sh", "-c", "agent {prompt}"]',
      'command[2] is "agent {prompt}", expected what a task says as an argument of its own',
    ],
    [
      'command = ["/usr/bin/env", "bash", "-lc", "{prompt}"]',
      'command[3] is "{prompt}", expected what a task says as an argument',
    ],
    ['command = ["python3", "-c", "run({model})"]', 'because this is run as code'],
    ['command = ["node", "--eval", "{prompt}"]', 'because this is run as code'],
    ['command = ["ssh", "far", "agent", "{prompt}"]', 'because this is run as code'],
    ['command = ["x"]\ncomand = 1', 'unknown key "comand"; did you mean command?'],
    ['command = ["x"]\nzzz = 1', 'unknown key "zzz"; known are command, output'],
    ['command = ["x"]\noutput = "xml"', 'output is "xml", expected "text" or "jsonl"'],
    ['command = ["x"]\nmode = 2', 'mode is 2, expected "oneway" or "twoway"'],
    ['command = ["x"]\ncontext_limit = "big"', 'context_limit is "big", expected a whole number of tokens above 0'],
    ['command = ["x"]\nenv = { A = 1 }', 'env.A is 1, expected a text'],
    ['command = ["x"]\nenv = { FLEET_HOME = "x" }', 'env.FLEET_HOME is "x", expected another name'],
    ['command = ["x"]\nenv_allow = "A"', 'env_allow is "A", expected at most 100 names of variables'],
    ['command = ["x"]\nenv_allow = ["A B"]', 'env_allow is ["A B"], expected at most 100 names of variables'],
    ['command = ["x"]\n[[events]]\nthen = "said"', 'events[1].when is missing, expected a table'],
    ['command = ["x"]\n[events]\nthen = "said"', 'events is {"then":"said"}, expected rules, each under a line [[events]]'],
    ['command = ["x"]\n[[events]]\nwhen = {a = 1}\nthen = "sung"', 'events[1].then is "sung", expected one of opened, said'],
    [
      'command = ["x"]\n[[events]]\nwhen = {a = 1}\nthen = "said"',
      'events[1].text is missing, expected where the text of the event stands',
    ],
    ['command = ["x"]\n[[events]]\nwhen = {a = 1}\nthen = "said"\ntxt = "t"', 'unknown key "events[1].txt"; did you mean text?'],
    [
      'command = ["x"]\n[[events]]\nwhen = {a = []}\nthen = "said"\ntext = "t"',
      'events[1].when.a is [], expected a text, a number or a boolean',
    ],
    [
      'command = ["x"]\n[[events]]\nwhen = {a = 1}\nthen = "said"\ntext = "t"',
      'output is "text", expected "jsonl", because there are events',
    ],
    ['command = [', 'executors/mine.toml line 1: not good TOML'],
  ])('%j is refused with its key, what was seen and what was expected', (toml, message) => {
    expect(() => parseCustomExecutor('mine', toml)).toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.stringContaining(message) }),
    );
  });

  it('includes one whose name is no name of an executor', () => {
    for (const name of ['', '-x', '../up', 'x'.repeat(65)])
      expect(() => parseCustomExecutor(name, 'command = ["x"]')).toThrow('no name of an executor');
  });

  it('includes one with a secret, which the message does not repeat', () => {
    for (const name of ['OPENAI_API_KEY', 'GH_TOKEN', 'DB_PASSWORD']) {
      const parse = () => parseCustomExecutor('mine', `command = ["x"]\nenv = { ${name} = "hunter2-value" }`);
      expect(parse).toThrow(`env.${name} is "…", expected no secret here: set ${name} in the environment`);
    }
  });
});

it('declares the window of its model', () => expect(text?.contextLimit).toBe(128_000));

it('the guide names every event, every field of it and every verdict', () => {
  for (const [event, fields] of Object.entries(EVENT_FIELDS)) {
    expect(guide).toContain(`\`${event}\``);
    for (const field of Object.keys(fields))
      expect(guide).toContain(`\`${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}\``);
  }
  for (const verdict of VERDICTS) expect(guide).toContain(`\`${verdict}\``);
});

describe('a custom executor that speaks the Agent Client Protocol', () => {
  const made = (toml: string) => parseCustomExecutor('mine', `protocol = "acp"\n${toml}`);

  it('has the abilities its file declares, and enforces tools only if it asks about every call [EXEC-04]', () => {
    expect(made('command = ["x"]').can).toMatchObject({ resume: true, fork: false, steer: false, mcp: true, tools: false });
    expect(made('command = ["x"]\nasks = true\nfork = true\nsteer = true').can).toMatchObject({
      fork: true,
      steer: true,
      tools: true,
    });
  });

  it('is launched by its template, and gets its model there or in the conversation', () => {
    const job = { ...plainJob, model: 'big', extraArgs: ['-v'] };
    expect(made('command = ["x", "acp", "-m", "{model}"]\nenv = { A = "b" }').launch(job)).toMatchObject({
      command: 'x',
      args: ['acp', '-m', 'big', '-v'],
      env: { A: 'b' },
      mode: 'twoway',
    });
  });

  it.each([
    ['output = "jsonl"', /unknown key "output"/],
    ['steer = "yes"', /steer is "yes", expected true or false/],
    ['login = 7', /login is 7, expected the command/],
  ])('refuses %s', (line, message) => {
    expect(() => made(`command = ["x"]\n${line}`)).toThrow(message);
  });

  it('refuses an unknown protocol', () => {
    expect(() => parseCustomExecutor('mine', 'command = ["x"]\nprotocol = "smoke"')).toThrow(
      /protocol is "smoke", expected "acp"/,
    );
  });
});
