import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../../test/support/memory-house.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Hub } from './hub.ts';

const caller = { id: 'owner', name: 'you', role: 'admin' } as const;
const entry = { token: 'token', caller };

function hubOf() {
  const { call } = memoryHouse();
  return new Hub({
    identify: async () => caller,
    callAs: () => call,
    owner: call,
    rules: () => ({ hosts: new Set(), origins: new Set(), rate: 1, runRate: 1 }),
    elapsed: () => performance.now(),
    log: () => undefined,
    onNews: () => undefined,
    output: { read: async (_id, _stream, { after }) => ({ items: [], next: after }), follow: () => () => undefined },
  });
}

const wireOf = (socket: PassThrough) => ({ socket, write: () => undefined, beat: () => undefined, end: () => undefined });

describe('the hub', () => {
  it('has room for so many of one token, and again when one leaves', async () => {
    const hub = hubOf();
    const sockets = Array.from({ length: LIMITS.liveConnectionsPerToken.value }, () => new PassThrough());
    for (const socket of sockets) hub.connect(entry, wireOf(socket));
    expect(() => hub.assertRoom(entry)).toThrow('with this token');
    hub.assertRoom({ token: 'another' });
    sockets[0]?.destroy();
    await expect.poll(() => hub.assertRoom(entry)).toBe(undefined);
    await hub.close();
    expect(() => hub.assertRoom(entry)).toThrow('stopping');
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('keeps no place for a client that left while it was let in [R43]', async () => {
    const hub = hubOf();
    for (let n = 0; n < 2 * LIMITS.liveConnectionsPerToken.value; n += 1) {
      const socket = new PassThrough();
      socket.destroy();
      expect(() => hub.connect(entry, wireOf(socket))).toThrow('gone');
    }
    hub.assertRoom(entry);
    await hub.close();
  });

  it('refuses topics that are not there, and more than so many', async () => {
    const hub = hubOf();
    const { call } = memoryHouse();
    await expect(hub.wishes(['task/task_01m7hnrk6p04eq5pszar9y8xw1'], [], call)).rejects.toMatchObject({ code: 'not_found' });
    await expect(hub.wishes(['inbox/task_01m7hnrk6p04eq5pszar9y8xw1'], [], call)).rejects.toMatchObject({ code: 'not_found' });
    await expect(hub.wishes([], [], call)).rejects.toMatchObject({ code: 'invalid' });
    const many = Array.from({ length: LIMITS.liveTopics.value + 1 }, () => 'board');
    await expect(hub.wishes(many, [], call)).rejects.toMatchObject({ code: 'limit' });
    await hub.close();
  });
});
