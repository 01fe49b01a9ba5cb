import { describe, expect, it } from 'vitest';
import { able, agent, done, executor, opened, talk, update, word } from '../conformance/acp-talk.ts';
import { plainJob } from '../kit/jobs.ts';
import { acpExecutor } from './acp-client.ts';

describe('a conversation', () => {
  it('opens in the workspace with the tools of Fleet, and then sends the prompt', () => {
    const mcp = { command: 'fleet', args: ['mcp'], env: { A: 'b' } };
    const { sent, events } = talk({ mcp, systemPrompt: 'Be brief.' }, opened);
    expect(sent.map(({ id, method }) => [id, method])).toEqual([
      ['run_1.1', 'initialize'],
      ['run_1.2', 'session/new'],
      ['run_1.3', 'session/prompt'],
    ]);
    expect(sent[1]?.params).toEqual({
      cwd: '/somewhere/workspace',
      mcpServers: [{ name: 'fleet', command: 'fleet', args: ['mcp'], env: [{ name: 'A', value: 'b' }] }],
    });
    expect(sent[2]?.params?.['prompt']).toEqual([{ type: 'text', text: 'Be brief.\n\nmake it so' }]);
    expect(events).toEqual([{ type: 'opened', session: 's-1' }]);
  });

  it('opens with the MCP servers of the project and of Fleet [AUTO-08]', () => {
    const server = { command: 'fleet', args: ['mcp'], env: { A: 'b' } };
    const { sent } = talk({ mcp: server, servers: { vault: server } }, opened);
    const told = { command: 'fleet', args: ['mcp'], env: [{ name: 'A', value: 'b' }] };
    expect(sent[1]?.params?.['mcpServers']).toEqual([
      { name: 'fleet', ...told },
      { name: 'vault', ...told },
    ]);
  });

  it('never starts with text that the program would take for a command', () => {
    expect(talk({ prompt: ' /compact' }, opened).sent[2]?.params?.['prompt']).toEqual([
      { type: 'text', text: 'Please do this: /compact' },
    ]);
  });

  it('sends a long prompt as a file, and keeps little of it in its state', () => {
    const job = { ...plainJob, prompt: 'x'.repeat(900_000) };
    expect(executor.launch(job).files).toEqual([{ name: 'instructions.md', text: job.prompt }]);
    expect(JSON.stringify(executor.begin(job).state).length).toBeLessThan(2_000);
    expect(JSON.stringify(talk(job, opened).sent[2])).toContain('/somewhere/run_1/instructions.md');
  });

  it.each([
    ['session/resume', { sessionCapabilities: { resume: {} }, loadSession: true }, false],
    ['session/load', { loadSession: true }, false],
    ['session/new', {}, false],
    ['session/fork', { sessionCapabilities: { fork: {} }, loadSession: true }, true],
    ['session/new', { loadSession: true }, true],
  ])('resumes by %s, as the agent can, and never resumes a conversation of another task', (method, capabilities, fork) => {
    const { sent } = talk({ resume: 'old', fork }, [able(capabilities)]);
    expect(sent[1]?.method).toBe(method);
    expect(sent[1]?.params?.['sessionId']).toBe(method === 'session/new' ? undefined : 'old');
  });

  it('emits nothing for a replayed past, and starts anew if the old conversation is gone', () => {
    const lines = [able({ loadSession: true }), update({ sessionUpdate: 'agent_message_chunk', content: { text: 'old words' } })];
    expect(talk({ resume: 'old' }, [...lines, { id: 'run_1.2', result: {} }]).events).toEqual([
      { type: 'opened', session: 'old' },
    ]);
    const gone = talk({ resume: 'old' }, [...lines, { id: 'run_1.2', error: { code: -32_602, message: 'not found' } }]);
    expect(gone.sent.at(-1)).toMatchObject({ id: 'run_1.3', method: 'session/new' });
  });

  it('waits for a late replay of the past', () => {
    const late = acpExecutor({ ...agent, promptAfterReplay: '/help' });
    const past = update({ sessionUpdate: 'agent_message_chunk', content: { text: 'old words' } });
    const loaded = [able({ loadSession: true }), { id: 'run_1.2', result: {} }, past, done('end_turn')];
    const { sent, events } = talk({ resume: 'old' }, loaded, late);
    expect(sent.slice(2).map(({ params }) => params?.['prompt'])).toEqual([
      [{ type: 'text', text: '/help' }],
      [{ type: 'text', text: 'make it so' }],
    ]);
    expect(events).toEqual([{ type: 'opened', session: 'old' }]);
    expect(talk({}, opened, late).sent).toHaveLength(3);
  });

  it('chooses model and effort if the agent offers them, and is refused for an unknown model [EXEC-09]', () => {
    const options = [
      { id: 'model', category: 'model' },
      { id: 'effort', category: 'thought_level' },
    ];
    const session = { id: 'run_1.2', result: { sessionId: 's-1', configOptions: options } };
    const asks = [able({}), session, { id: 'run_1.3', result: { configOptions: options } }, { id: 'run_1.4', result: {} }];
    const { sent } = talk({ model: 'big', effort: 'high' }, asks);
    expect(sent.slice(2).map(({ method, params }) => [method, params?.['value']])).toEqual([
      ['session/set_config_option', 'big'],
      ['session/set_config_option', 'high'],
      ['session/prompt', undefined],
    ]);
    const unknown = { id: 'run_1.3', error: { code: -32_603, message: 'no such model' } };
    expect(talk({ model: 'big' }, [able({}), session, unknown]).events.at(-1)).toEqual({
      type: 'ended',
      verdict: 'refused',
      summary: 'no such model',
    });
  });

  it('is refused in another version of the protocol', () => {
    const { events } = talk({}, [{ id: 'run_1.1', result: { protocolVersion: 2 } }]);
    expect(events).toMatchObject([{ type: 'ended', verdict: 'refused' }]);
  });
});

describe('a turn', () => {
  it.each([
    ['end_turn', 'succeeded'],
    ['max_tokens', 'context_full'],
    ['max_turn_requests', 'over_budget'],
    ['refusal', 'refused'],
    ['cancelled', 'errored'],
    ['something new', 'errored'],
  ])('that ends with %s is %s', (stopReason, verdict) => {
    expect(talk({}, [...opened, word, done(stopReason)]).events.at(-1)).toMatchObject({ type: 'ended', verdict });
  });

  it.each([
    [{ code: -32_000, message: 'sign in' }, 'auth_required'],
    [{ code: -32_603, message: 'no', data: { statusCode: 401 } }, 'auth_required'],
    [{ code: 400, message: 'no' }, 'refused'],
    [{ code: -32_603, message: 'no', data: { status: 404 } }, 'refused'],
    [{ code: 413, message: 'no' }, 'context_full'],
    [{ code: -32_603, message: 'no', data: { errorName: 'ContextOverflowError' } }, 'context_full'],
    [{ code: 500, message: 'no' }, 'errored'],
    [{ code: -32_603, message: 'rate limit exceeded, please sign in' }, 'errored'],
  ])('that fails with %j is %s, from its codes alone [RUN-04]', (error, verdict) => {
    const { events } = talk({}, [...opened, { id: 'run_1.3', error }]);
    expect(events.slice(1)).toMatchObject([{ type: 'ended', verdict }]);
  });

  it('that the provider refuses is limited, until the stated time [RUN-04]', () => {
    const until = '2030-01-01T00:00:00.000Z';
    const refused = { id: 'run_1.3', error: { code: 429, message: 'no', data: { resetsAt: until } } };
    expect(talk({}, [...opened, refused]).events.slice(1)).toMatchObject([
      { type: 'limited', until },
      { type: 'ended', verdict: 'errored' },
    ]);
  });

  it('ends once: later lines emit no further end', () => {
    const after = [
      word,
      done('end_turn'),
      done('refusal'),
      update({ sessionUpdate: 'agent_message_chunk', content: { text: 'x' } }),
    ];
    expect(talk({}, [...opened, ...after]).events.filter(({ type }) => type === 'ended')).toHaveLength(1);
  });

  it('reports its own cost, not that of the whole conversation [RUN-08]', () => {
    const cost = (amount: number) =>
      update({ sessionUpdate: 'usage_update', used: 50, size: 100, cost: { amount, currency: 'USD' } });
    const usage = { inputTokens: 10, outputTokens: 2, cachedReadTokens: 5 };
    const { events } = talk({ resume: 'old' }, [
      able({ loadSession: true }),
      cost(3),
      { id: 'run_1.2', result: {} },
      cost(5),
      done('end_turn', { usage }),
    ]);
    expect(events).toContainEqual({ type: 'spent', inputTokens: 10, outputTokens: 2, cachedTokens: 5, costUsd: 2 });
  });

  it('is no success without any output, or if it ends at a denied permission', () => {
    expect(talk({}, [...opened, done('end_turn')]).events.at(-1)).toMatchObject({ verdict: 'errored' });
    const toolCall = { toolCallId: 't', kind: 'edit' };
    const denied = { id: 1, method: 'session/request_permission', params: { toolCall, options: [] } };
    const failed = update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'failed' });
    const refused = talk({ tools: ['Read'] }, [...opened, denied, failed, done('end_turn')]);
    expect(refused.events.at(-1)).toMatchObject({ verdict: 'refused' });
    expect(talk({ tools: ['Read'] }, [...opened, denied, failed, word, done('end_turn')]).events.at(-1)).toMatchObject({
      verdict: 'succeeded',
    });
  });

  it('is stopped once its budget is used up [RUN-08]', () => {
    const cost = update({ sessionUpdate: 'usage_update', used: 50, size: 100, cost: { amount: 0.6, currency: 'USD' } });
    const { events, sent } = talk({ maxBudgetUsd: 0.5 }, [...opened, cost]);
    expect(sent.at(-1)?.method).toBe('session/cancel');
    expect(events.at(-1)).toMatchObject({ type: 'ended', verdict: 'over_budget' });
  });
});

describe('a message to a working agent', () => {
  const busy = (): unknown => talk({}, [...opened, word]).state;

  it('is a further prompt, and the run is over once both are answered [RUN-10]', () => {
    const said = executor.say(busy(), { n: 7, text: '/stop it' });
    expect(said?.send.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 'run_1.4', method: 'session/prompt', params: { prompt: [{ text: 'Please do this: /stop it' }] } },
    ]);
    const answer = (state: unknown, id: string, result: object) =>
      executor.step(state, JSON.stringify({ jsonrpc: '2.0', id, result }));
    const first = answer(said?.state, 'run_1.3', { stopReason: 'cancelled' });
    expect(first.events).toEqual([{ type: 'said', text: 'Well.' }]);
    const second = answer(first.state, 'run_1.4', { stopReason: 'end_turn' });
    expect(second.events).toMatchObject([
      { type: 'heard', n: 7 },
      { type: 'ended', verdict: 'succeeded' },
    ]);
  });

  it('is not sent before there is a turn, or if it would end the turn', () => {
    expect(executor.say(executor.begin(plainJob).state, { n: 1, text: 'x' })).toBeUndefined();
    const unsteerable = acpExecutor({ ...agent, can: { ...agent.can, steer: false } });
    expect(unsteerable.say(busy(), { n: 1, text: 'x' })).toBeUndefined();
  });
});

describe('the activity of an agent', () => {
  it('is emitted as whole texts, and a tool once its input is known', () => {
    const { events } = talk({}, [
      ...opened,
      update({ sessionUpdate: 'agent_thought_chunk', content: { text: 'hm' } }),
      update({ sessionUpdate: 'agent_message_chunk', content: { text: 'I ' } }),
      update({ sessionUpdate: 'agent_message_chunk', content: { text: 'look.' } }),
      update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'bash', kind: 'execute', status: 'pending', rawInput: {} }),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'in_progress', rawInput: { command: 'ls' } }),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'failed' }),
      update({ sessionUpdate: 'usage_update', used: 10, size: 100 }),
    ]);
    expect(events.slice(1)).toEqual([
      { type: 'thought', text: 'hm' },
      { type: 'said', text: 'I look.' },
      { type: 'tool', id: 't', name: 'bash', detail: 'ls' },
      { type: 'tool-done', id: 't', ok: false },
      { type: 'context', tokens: 10, limit: 100 },
    ]);
  });
});
