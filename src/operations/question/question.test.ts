import { describe, expect, it } from 'vitest';
import { refused, withProject } from '../../../test/support/shop.ts';

describe('questions', () => {
  it('are answered once, by words or by the number of an option, and wake what they blocked', async () => {
    const { call, create } = await withProject();
    const task = await create('x');
    const { id } = await call('question.ask', { text: 'Which colour?', option: ['red', 'blue'], task: task.id });
    expect((await call('question.list', {})).items.map((question) => question.id)).toEqual([id]);
    expect((await refused(call('question.answer', { id, text: '3' }))).message).toContain('1 to 2');
    expect((await call('question.answer', { id: id.slice(-6), text: '2' })).answer?.text).toBe('blue');
    expect((await refused(call('question.answer', { id, text: '1' }))).code).toBe('conflict');
    expect((await call('question.list', {})).items).toEqual([]);
  });
});
