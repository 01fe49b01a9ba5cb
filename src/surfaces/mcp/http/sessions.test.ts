import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { openSessions } from './sessions.ts';

function sessionsAt(clock: { ms: number }) {
  const closed: string[] = [];
  const sessions = openSessions({ elapsed: () => clock.ms });
  const open = (owner: string) => sessions.open(owner, async (id) => ({ close: async () => void closed.push(id) }));
  return { ...sessions, opened: open, closed };
}

describe('sessions', () => {
  it('are found by whoever opened them and by nobody else', async () => {
    const { opened, find } = sessionsAt({ ms: 0 });
    const { id } = await opened('ann');
    expect(find(id, 'ann').id).toBe(id);
    expect(() => find(id, 'ben')).toThrow('no such MCP session');
    expect(() => find('nothing', 'ann')).toThrow('no such MCP session');
  });

  it('past the number of one token end the one that was silent longest, never one in use, never one of another', async () => {
    const clock = { ms: 0 };
    const { opened, use, find, closed } = sessionsAt(clock);
    const foreign = await opened('ben');
    const inUse = await opened('ann');
    use(inUse, new EventEmitter());
    const silent = await opened('ann');
    for (let more = 2; more < LIMITS.mcpSessionsPerToken.value; more += 1) {
      clock.ms += 1;
      await opened('ann');
    }
    expect(closed).toEqual([]);
    await opened('ann');
    expect(closed).toEqual([silent.id]);
    expect([find(foreign.id, 'ben').id, find(inUse.id, 'ann').id]).toEqual([foreign.id, inUse.id]);
  });

  it('that are all in use make no room, and no more are opened', async () => {
    const { opened, use } = sessionsAt({ ms: 0 });
    for (let at = 0; at < LIMITS.mcpSessionsPerToken.value; at += 1) use(await opened('ann'), new EventEmitter());
    await expect(opened('ann')).rejects.toThrow('are in use');
  });

  it('end when they were silent for long, but not while a connection is open', async () => {
    vi.useFakeTimers();
    try {
      const clock = { ms: 0 };
      const { opened, use, closed, closeAll } = sessionsAt(clock);
      const silent = await opened('ann');
      const watching = await opened('ann');
      const connection = new EventEmitter();
      use(watching, connection);
      clock.ms = LIMITS.mcpIdleMs.value + 1;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(closed).toEqual([silent.id]);
      connection.emit('close');
      clock.ms += LIMITS.mcpIdleMs.value + 1;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(closed).toEqual([silent.id, watching.id]);
      await closeAll();
    } finally {
      vi.useRealTimers();
    }
  });
});
