import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executor, opened, talk, update } from '../conformance/acp-talk.ts';
import type { Job } from '../executor.ts';

describe('what an agent asks of its client', () => {
  const options = [
    { optionId: 'always', kind: 'allow_always', name: 'Always' },
    { optionId: 'once', kind: 'allow_once', name: 'Once' },
    { optionId: 'no', kind: 'reject_once', name: 'No' },
  ];
  const leave = (toolCall: object, more: object = { options }) => ({
    id: 7,
    method: 'session/request_permission',
    params: { sessionId: 's-1', toolCall: { toolCallId: 't', ...toolCall }, ...more },
  });
  const answerTo = (job: Partial<Job>, request: object) => talk(job, [...opened, request]).sent.at(-1);

  it('leave for anything is given once where nothing is restricted', () => {
    expect(answerTo({}, leave({ kind: 'execute', rawInput: { command: 'rm -rf x' } }))?.result?.outcome).toEqual({
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
  ])('leave under review is %s for %j [EXEC-06]', (optionId, call) => {
    const answer = answerTo({ tools: PRESETS.review }, leave(call));
    expect(answer).toMatchObject({ id: 7, result: { outcome: { outcome: 'selected', optionId } } });
  });

  it('a tool of a server is used where the tools of the task name the server, and nowhere else [AUTO-08]', () => {
    const tools = [...PRESETS.review, 'mcp__vault__*'];
    const outcome = (title: string) => answerTo({ tools }, leave({ kind: 'other', title }))?.result?.outcome;
    expect(outcome('vault_reveal')).toMatchObject({ optionId: 'once' });
    expect(outcome('vaults_reveal')).toMatchObject({ optionId: 'no' });
  });

  it('leave for good is never given where tools are restricted', () => {
    const forGood = { options: options.filter(({ kind }) => kind !== 'allow_once') };
    expect(answerTo({ tools: PRESETS.review }, leave({ kind: 'read' }, forGood))?.result?.outcome).toMatchObject({
      optionId: 'no',
    });
  });

  it('a question that has no yes in it goes to a person, and their answer to the agent', () => {
    const question = {
      options: [
        { optionId: 'a', name: 'Red' },
        { optionId: 'b', name: 'Blue' },
      ],
    };
    const { events, state } = talk({}, [...opened, leave({ title: 'Which colour?' }, question)]);
    expect(events.at(-1)).toMatchObject({ type: 'asked', request: 'ask-7', text: 'Which colour?', options: ['Red', 'Blue'] });
    const answered = executor.answer(state, 'ask-7', ' blue ');
    expect(answered?.send).toEqual(['{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"b"}}}']);
    expect(executor.answer(answered?.state, 'ask-7', 'Red')).toBeUndefined();
  });

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'craft/anything'])(
    '%s is not offered, and it is told so',
    (method) => {
      expect(answerTo({}, { id: 'x', method, params: {} })).toMatchObject({ id: 'x', error: { code: -32_601 } });
    },
  );

  it('a notice nobody knows is nothing, and an update nobody knows is counted', () => {
    expect(talk({}, [...opened, { method: '_vendor/news', params: {} }]).last.unknown).toBeUndefined();
    expect(talk({}, [...opened, update({ sessionUpdate: 'telepathy' })]).last.unknown).toBe(true);
  });
});
