import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../contract/call.ts';
import { Fault } from '../../domain/fault.ts';
import { answerOf } from './answer.ts';
import { tool } from './tool.ts';

const asked = (signal = new AbortController().signal) => ({
  call: (async () => undefined) as unknown as Call,
  now: () => 0,
  elapsed: () => 0,
  signal,
});

const throwing = (error: unknown) =>
  tool({
    name: 'a_tool',
    title: 'A tool',
    about: 'throws',
    input: z.strictObject({}),
    output: z.object({}),
    calls: ['task.show'],
    run: async () => {
      throw error;
    },
  });

const bugs: unknown[] = [];
const told = { id: () => 'number-1', log: (event: string, fields: object) => void bugs.push([event, fields]) };

describe('the answer of a tool', () => {
  it('is a refusal that says what to do, in words and for programs', async () => {
    const fault = new Fault('conflict', 'task is done', { hint: 'see it', task: 't' });
    const answer = await answerOf(throwing(fault), {}, asked(), told);
    expect(answer.isError).toBe(true);
    expect(answer.content[0]?.text).toContain('Refused, conflict: task is done (see it)');
    expect(answer._meta).toMatchObject({ 'fleet/fault': { code: 'conflict', message: 'task is done', details: { task: 't' } } });
    expect(answer.structuredContent).toBeUndefined();
  });

  it('tells nothing of a bug but its number; the log has the rest', async () => {
    const answer = await answerOf(throwing(new Error('secret inner thing')), {}, asked(), told);
    expect(JSON.stringify(answer)).not.toContain('secret inner thing');
    expect(answer.content[0]?.text).toContain('number-1');
    expect(bugs).toMatchObject([['mcp.bug', { id: 'number-1', tool: 'a_tool', message: 'secret inner thing' }]]);
  });

  it('is none at all when the client has gone', async () => {
    const gone = new AbortController();
    gone.abort();
    await expect(answerOf(throwing(new Fault('invalid', 'x')), {}, asked(gone.signal), told)).rejects.toThrow();
  });
});
