import { describe, expect, it } from 'vitest';
import { eventId, isWithin, parseEventId, parseTopic } from './topic.ts';

const RUN = 'run/run_01m7hnrk88j3m8xqhg9kmxvrkn';

describe('topics and event ids', () => {
  it('are parsed as they are written', () => {
    for (const [topic, place] of [
      ['task/task_01m7hnrk6p04eq5pszar9y8xw1', [7]],
      ['inbox/task_01m7hnrk6p04eq5pszar9y8xw1', [12]],
      [RUN, [120, 30, 0]],
      [RUN, [120, 30, 1]],
    ] as const) {
      expect(parseTopic(topic).text).toBe(topic);
      expect(parseEventId(eventId(topic, place))).toEqual({ topic, place });
    }
    expect(['board', 'questions'].map((text) => parseTopic(text).kind)).toEqual(['board', 'questions']);
  });

  it('are refused if they are malformed', () => {
    for (const text of ['', 'task', 'task/', 'task/abcd', 'run/task_01m7hnrk6p04eq5pszar9y8xw1', 'boards', 'x'.repeat(100_000)])
      expect(() => parseTopic(text), text.slice(0, 40)).toThrow('is no topic');
    for (const id of [
      '',
      '@1',
      'board',
      `${RUN}@1`,
      `${RUN}@1.x`,
      'task/x@1.2',
      'task/x@1.end',
      `task/x@${'9'.repeat(50)}`,
      '@'.repeat(1e6),
    ])
      expect(() => parseEventId(id), id.slice(0, 40)).toThrow('is not the id of an event');
  });

  it('are known only if every stream is', () => {
    expect(isWithin([5, 5, 0], [5, 6, 0])).toBe(true);
    expect(isWithin([6, 5, 0], [5, 6, 0])).toBe(false);
  });
});
