import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executor, opened, talk, update } from '../conformance/acp-talk.ts';
import type { Job } from '../executor.ts';

describe('a request of an agent', () => {
  const options = [
    { optionId: 'always', kind: 'allow_always', name: 'Always' },
    { optionId: 'once', kind: 'allow_once', name: 'Once' },
    { optionId: 'no', kind: 'reject_once', name: 'No' },
  ];
  const permissionFor = (toolCall: object, more: object = { options }) => ({
    id: 7,
    method: 'session/request_permission',
    params: { sessionId: 's-1', toolCall: { toolCallId: 't', ...toolCall }, ...more },
  });
  const answerTo = (job: Partial<Job>, request: object) => talk(job, [...opened, request]).sent.at(-1);

  it('for any permission is granted once if nothing is restricted', () => {
    expect(answerTo({}, permissionFor({ kind: 'execute', rawInput: { command: 'rm -rf x' } }))?.result?.outcome).toEqual({
      outcome: 'selected',
      optionId: 'once',
    });
  });

  it.each([
    ['once', { kind: 'execute', rawInput: { command: 'git log -1' } }],
    ['once', { kind: 'read' }],
    ['once', { kind: 'search' }],
    ['once', { kind: 'other', title: 'fleet_submit_report' }],
    ['no', { kind: 'execute', rawInput: { command: 'git log > x' } }],
    ['no', { kind: 'execute', rawInput: { command: 'git push' } }],
    ['no', { kind: 'execute', title: 'git log' }],
    ['no', { kind: 'edit' }],
    ['no', { kind: 'delete' }],
    ['no', { kind: 'move' }],
    ['no', { kind: 'fetch' }],
    ['no', { kind: 'switch_mode' }],
    ['no', { kind: 'other', title: 'somebody_elses_tool' }],
    ['no', {}],
  ])('under review is answered %s for %j [EXEC-06]', (optionId, call) => {
    const answer = answerTo({ tools: PRESETS.review }, permissionFor(call));
    expect(answer).toMatchObject({ id: 7, result: { outcome: { outcome: 'selected', optionId } } });
  });

  it('for a tool of an MCP server is granted only if the tools of the task name the server [AUTO-08]', () => {
    const tools = [...PRESETS.review, 'mcp__vault__*'];
    const outcome = (title: string) => answerTo({ tools }, permissionFor({ kind: 'other', title }))?.result?.outcome;
    expect(outcome('vault_reveal')).toMatchObject({ optionId: 'once' });
    expect(outcome('vaults_reveal')).toMatchObject({ optionId: 'no' });
  });

  it('for a permanent permission is denied if tools are restricted', () => {
    const forGood = { options: options.filter(({ kind }) => kind !== 'allow_once') };
    expect(answerTo({ tools: PRESETS.review }, permissionFor({ kind: 'read' }, forGood))?.result?.outcome).toMatchObject({
      optionId: 'no',
    });
  });

  it('without an option to allow goes to a person, and the answer to the agent', () => {
    const question = {
      options: [
        { optionId: 'a', name: 'Red' },
        { optionId: 'b', name: 'Blue' },
      ],
    };
    const { events, state } = talk({}, [...opened, permissionFor({ title: 'Which colour?' }, question)]);
    expect(events.at(-1)).toMatchObject({ type: 'asked', request: 'ask-7', text: 'Which colour?', options: ['Red', 'Blue'] });
    const answered = executor.answer(state, 'ask-7', ' blue ');
    expect(answered?.send).toEqual(['{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"b"}}}']);
    expect(executor.answer(answered?.state, 'ask-7', 'Red')).toBeUndefined();
  });

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'craft/anything'])(
    'for %s is refused, because it is not offered',
    (method) => {
      expect(answerTo({}, { id: 'x', method, params: {} })).toMatchObject({ id: 'x', error: { code: -32_601 } });
    },
  );

  it('is not an unknown notification, which is ignored, nor an unknown update, which is counted', () => {
    expect(talk({}, [...opened, { method: '_vendor/news', params: {} }]).last.unknown).toBeUndefined();
    expect(talk({}, [...opened, update({ sessionUpdate: 'telepathy' })]).last.unknown).toBe(true);
  });
});
