import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ask, modelClients, post } from '../../test/support/model-clients.mjs';
import { modelServer } from '../../test/support/model-server.ts';
import { parseScenario } from './scenario/parse-scenario.ts';

const TOOLS = ['Write', 'Bash', 'mcp__fleet__submit_report'];

const scenario = parseScenario(`
think A file will do.
say I write it.
write a.txt hello
together
run ls
call submit_report {"summary":"{result}"}
end
usage 4000 70
say It is written.`);

/** The stop reason of each API. */
const STOPS: Readonly<Record<string, Readonly<Record<'end' | 'calls' | 'max_tokens' | 'refusal', string>>>> = {
  'Anthropic Messages': { end: 'end_turn', calls: 'tool_use', max_tokens: 'max_tokens', refusal: 'refusal' },
  'OpenAI Responses': { end: 'completed', calls: 'completed', max_tokens: 'incomplete', refusal: 'refusal' },
  'OpenAI Chat Completions': { end: 'stop', calls: 'tool_calls', max_tokens: 'length', refusal: 'content_filter' },
  Gemini: { end: 'STOP', calls: 'STOP', max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' },
};

describe.each(modelClients)('a simulated model over $name', (client) => {
  const stops = STOPS[client.name];

  it.each([true, false])('plays a scenario to its end; streamed: %s [EXEC-03]', async (streaming) => {
    await using models = await modelServer();
    const played = models.play(scenario);
    let conversation = client.begin('Write a.txt.');
    const first = await ask(client, played.url, { conversation, tools: TOOLS, streaming });
    expect(first).toMatchObject({ text: 'I write it.', thought: 'A file will do.', stop: stops?.calls });
    expect(first.calls).toMatchObject([{ name: 'Write', given: { file_path: 'a.txt', content: 'hello\n' } }]);
    conversation = [...conversation, ...first.items, ...first.calls.map((call) => client.result(call, 'written'))];
    const second = await ask(client, played.url, { conversation, tools: TOOLS, streaming });
    expect(second.calls).toMatchObject([
      { name: 'Bash', given: { command: 'ls' } },
      { name: 'mcp__fleet__submit_report', given: { summary: 'written' } },
    ]);
    conversation = [...conversation, ...second.items, ...second.calls.map((call) => client.result(call, 'ok'))];
    const last = await ask(client, played.url, { conversation, tools: TOOLS, streaming });
    expect(last).toMatchObject({ text: 'It is written.', stop: stops?.end, tokens: { input: 4000, output: 70 }, calls: [] });
    expect(played.exchanges.map(({ conversation: { answers } }) => answers)).toEqual([0, 1, 2]);
    expect(played.exchanges.at(-1)?.conversation).toMatchObject({ asked: 'Write a.txt.', turn: 0 });
    expect(played.problems).toEqual([]);
  });

  it.each(['max_tokens', 'refusal'] as const)('stops by %s', async (reason) => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario(`say So far\nstop ${reason}`));
    const told = await ask(client, url, { conversation: client.begin('Go.'), tools: TOOLS });
    expect(told).toMatchObject({ text: 'So far', stop: stops?.[reason] });
  });

  it('gives an empty answer if the scenario says so', async () => {
    await using models = await modelServer();
    const told = await ask(client, models.run('empty', 'r').url, { conversation: client.begin('Go.'), tools: TOOLS });
    expect(told).toMatchObject({ text: '', calls: [] });
  });

  it('stays in step with a repeated request, or one without tools', async () => {
    await using models = await modelServer();
    const played = models.play(scenario);
    const beside = await ask(client, played.url, { conversation: client.begin('A title for this?'), tools: [] });
    const request = { conversation: client.begin('Go.'), tools: TOOLS };
    const [first, again] = [await ask(client, played.url, request), await ask(client, played.url, request)];
    expect(beside.text).toBe('ok');
    expect(again.calls.map(({ given }) => given)).toEqual(first.calls.map(({ given }) => given));
    expect(played.exchanges).toHaveLength(2);
  });

  it('plays the next turn for each new message of a person, and the last turn for all further ones', async () => {
    await using models = await modelServer();
    const { url } = models.play(parseScenario('say One.\nturn\nsay You said: {asked}'));
    let conversation = client.begin('Begin.');
    const said: string[] = [];
    for (const next of ['Go on.', 'And on.', 'No more.']) {
      const told = await ask(client, url, { conversation, tools: TOOLS });
      said.push(told.text);
      conversation = [...conversation, ...told.items, ...client.begin(next)];
    }
    expect(said).toEqual(['One.', 'You said: Go on.', 'You said: And on.']);
  });

  it('refuses a request that its scenario cannot go on with, and records the problem', async () => {
    await using models = await modelServer();
    const played = models.play(parseScenario('call subtract'));
    const answer = await post(client, played.url, { conversation: client.begin('Go.'), tools: TOOLS });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('no tool is called subtract');
    expect(played.problems).toEqual([expect.stringContaining('mcp__fleet__submit_report')]);
  });
});

describe('a message of a person while the agent works', () => {
  const [anthropic] = modelClients;

  it('starts a turn, also if Claude Code sends it as a system message', async () => {
    if (!anthropic) throw new Error('there are four');
    await using models = await modelServer();
    const { url } = models.play(parseScenario('run ls\nsay One.\nturn\nsay You said: {asked}'));
    const begun = anthropic.begin('Go.');
    const first = await ask(anthropic, url, { conversation: begun, tools: TOOLS });
    const results = first.calls.map((call) => anthropic.result(call, 'a'));
    const told = 'The user sent a new message while you were working:\nStop.\nNow.\n\nThis is how Claude Code surfaces messages.';
    const conversation = [...begun, ...first.items, ...results, { role: 'system', content: [{ type: 'text', text: told }] }];
    expect(await ask(anthropic, url, { conversation, tools: TOOLS })).toMatchObject({ text: 'You said: Stop.\nNow.' });
    const silent = [...begun, ...first.items, ...results, { role: 'system', content: 'Be kind.' }];
    expect(await ask(anthropic, url, { conversation: silent, tools: TOOLS })).toMatchObject({ text: 'One.' });
  });
});

describe('an agent whose tools only a program can call', () => {
  const exec = { type: 'custom', name: 'exec', description: 'Runs JavaScript.\n\n### `exec_command`\nRuns a command.' };
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'namespace', name: 'functions', tools: [exec] }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
  ];

  it('gets a program that finds the tool', async () => {
    await using models = await modelServer();
    const played = models.play(parseScenario('run ls\ncall submit_report {"a":1}\nsay Done.'));
    const asked = async (more: readonly object[]) => {
      const body = JSON.stringify({ model: 'm', input: [...input, ...more] });
      const answer = await fetch(`${played.url}/v1/responses`, { method: 'POST', body });
      return ((await answer.json()) as { output: [{ call_id: string; input: string }] }).output[0];
    };
    const first = await asked([]);
    expect(first).toMatchObject({ type: 'custom_tool_call', name: 'exec', namespace: 'functions' });
    expect(await run(first.input)).toEqual(['exec_command {"cmd":"ls"}']);
    const result = { type: 'custom_tool_call_output', call_id: first.call_id, output: 'a' };
    const second = await asked([first, result]);
    expect(await run(second.input)).toEqual(['mcp__fleet__submit_report {"a":1}']);
    expect(played.problems).toEqual([]);
  });

  /** Runs a program as such an agent does, with its tools. */
  async function run(program: string): Promise<string[]> {
    const names = ['mcp__other__submit_report', 'exec_command', 'mcp__fleet__submit_report'];
    const tools = Object.fromEntries(names.map((name) => [name, (given: object) => `${name} ${JSON.stringify(given)}`]));
    const said: string[] = [];
    const source = `return (async () => {${program}})()`;
    await new Script(`(ALL_TOOLS, tools, text) => {${source}}`).runInThisContext()(
      names.map((name) => ({ name })),
      tools,
      (text: string) => void said.push(text),
    );
    return said;
  }
});
