import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';
import type { Job } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';
import {
  begun,
  eventsOf,
  executor,
  line,
  linesOf,
  opened,
  read,
  say,
  says,
  shows,
  told,
  transcripts,
  turnAnswer,
  turnBegan,
  turnEnded,
  working,
} from './play-support.ts';

executorConformance({ executor, transcripts });

describe('a thread of codex', () => {
  it('is opened, resumed or forked, always with its limits stated anew', () => {
    const opening = (job: Partial<Job>) => begun(job).sent[2];
    const full = { cwd: plainJob.workDirectory, approvalPolicy: 'never', sandbox: 'danger-full-access' };
    expect(opening({})).toEqual({ id: 'run_1.2', method: 'thread/start', params: full });
    expect(opening({ resume: 't', model: 'a b' })).toEqual({
      id: 'run_1.2',
      method: 'thread/resume',
      params: { threadId: 't', excludeTurns: true, model: 'a b', ...full },
    });
    expect(opening({ resume: 't', fork: true })?.method).toBe('thread/fork');
    const held = { approvalPolicy: 'untrusted', sandbox: 'read-only' };
    expect(opening({ tools: PRESETS.review })?.params).toMatchObject(held);
    expect(opening({ tools: PRESETS.explore, resume: 't' })?.params).toMatchObject(held);
    expect(opening({ tools: PRESETS.test })?.params).toMatchObject({ ...held, sandbox: 'workspace-write' });
    expect(opening({ tools: PRESETS.implement })?.params).toMatchObject(full);
  });

  it('is asked for each command in a sandbox of Fleet, in which none of its own can be made', () => {
    const asked = { approvalPolicy: 'untrusted', sandbox: 'danger-full-access' };
    const tools = PRESETS.review;
    expect(begun({ tools, sandboxed: true }).sent[2]?.params).toMatchObject(asked);
    const anew = read(begun({ tools, sandboxed: true, resume: 'gone' }), linesOf('resume-missing')).sent;
    expect(anew.find(({ method }) => method === 'thread/start')?.params).toMatchObject(asked);
  });

  it('is begun anew when the conversation is gone, with the same prompt', () => {
    const played = read(begun({ resume: 'gone' }), linesOf('resume-missing'));
    expect(played.sent.map(({ method }) => method)).toEqual([
      'initialize',
      'initialized',
      'thread/resume',
      'thread/start',
      'turn/start',
    ]);
    expect(played.events.at(-1)).toMatchObject({ type: 'ended', verdict: 'succeeded' });
  });

  it('reads a prompt from its file if it is too long for the state', () => {
    const prompt = '"long"\n'.repeat(100_000);
    const { state, sent } = read(begun({ prompt }), [opened]);
    expect(JSON.stringify(begun({ prompt }).state).length).toBeLessThan(64 * 1024);
    expect(JSON.stringify(sent.at(-1))).toContain(plainJob.promptFile);
    expect(JSON.stringify(state)).not.toContain('prompt');
  });

  it('reports the usage of each answer, not of the thread before it [RUN-08]', () => {
    for (const name of ['resumed', 'forked']) {
      const job = { resume: 'before', fork: name === 'forked' };
      expect(eventsOf(read(begun(job), linesOf(name)), 'spent'), name).toEqual([
        { type: 'spent', inputTokens: 80, outputTokens: 10, cachedTokens: 20, model: 'local-model' },
      ]);
    }
  });

  it('reports the usage of its helpers, and does not end with them', () => {
    const helper = { threadId: 'helper' };
    const usage = { last: { inputTokens: 5, outputTokens: 2, totalTokens: 7 }, modelContextWindow: 100 };
    const { events } = read(working(), [
      told('turn/started', { ...helper, turn: { id: 'turn-h' } }),
      told('thread/tokenUsage/updated', { ...helper, turnId: 'turn-h', tokenUsage: usage }),
      told('turn/completed', { ...helper, turn: { id: 'turn-h', status: 'completed' } }),
    ]);
    expect(events.map(({ type }) => type)).toEqual(['opened', 'spent']);
  });
});

describe('a message to codex while it works [RUN-10]', () => {
  it('is heard once it is shown to the model, and the run goes on until then', () => {
    const sent = say(working(), 7);
    expect(sent.sent.at(-1)).toMatchObject({ method: 'turn/start', params: { clientUserMessageId: 'run_1.message.7' } });
    const early = read(sent, [says('turn-1', 'done'), turnEnded('turn-1')]);
    expect(eventsOf(early, 'ended')).toEqual([]);
    const late = read(early, [turnAnswer(4, 'turn-2'), turnBegan('turn-2'), shows('turn-2', 7)]);
    expect(eventsOf(late, 'heard')).toEqual([{ type: 'heard', n: 7 }]);
    const done = read(late, [says('turn-2', 'done again'), turnEnded('turn-2')]);
    expect(eventsOf(done, 'ended')).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'done again' }]);
  });

  it('starts another turn if the turn that took it ended without an answer to it', () => {
    const shown = read(say(working(), 7), [
      says('turn-1', 'done'),
      turnAnswer(4, 'turn-1'),
      shows('turn-1', 7),
      turnEnded('turn-1'),
    ]);
    expect(eventsOf(shown, 'ended')).toEqual([]);
    expect(shown.sent.at(-1)).toMatchObject({ id: 'run_1.5', method: 'turn/start' });
    const done = read(shown, [turnAnswer(5, 'turn-2'), turnBegan('turn-2'), says('turn-2', 'so be it'), turnEnded('turn-2')]);
    expect(eventsOf(done, 'ended')).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'so be it' }]);
  });

  it('is not waited for if it was refused, or if its turn ended without it', () => {
    const refused = read(say(working(), 7), [
      line({ id: 'run_1.4', error: { code: -1, message: 'no' } }),
      says('turn-1', 'done'),
      turnEnded('turn-1'),
    ]);
    const lost = read(say(working(), 7), [turnAnswer(4, 'turn-1'), says('turn-1', 'done'), turnEnded('turn-1')]);
    for (const played of [refused, lost]) expect(eventsOf(played, 'ended')).toHaveLength(1);
  });

  it('is not sent before there is a thread, nor after the end', () => {
    expect(executor.say(begun().state, { n: 1, text: 'x' })).toBeUndefined();
    const over = read(working(), [says('turn-1', 'done'), turnEnded('turn-1')]);
    expect(executor.say(over.state, { n: 1, text: 'x' })).toBeUndefined();
  });

  it('is heard in a transcript of the real program', () => {
    let played = begun();
    for (const text of linesOf('steered')) {
      played = read(played, [text]);
      if (text.includes('"run_1.3"')) played = say(played, 7);
    }
    expect(eventsOf(played, 'heard')).toEqual([{ type: 'heard', n: 7 }]);
    expect(eventsOf(played, 'ended')).toHaveLength(1);
  });
});
