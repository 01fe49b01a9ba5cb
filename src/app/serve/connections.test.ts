import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../domain/authority.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Connections } from './connections.ts';

/** Doors at which connections of any peer arrive. */
function doors() {
  const connections = new Connections();
  let port = 0;
  const door = () => {
    const server = new EventEmitter();
    connections.watch(server as Server);
    const arrive = (remoteAddress: string) => {
      port += 1;
      const socket = Object.assign(new PassThrough(), { remoteAddress, remotePort: port });
      server.emit('connection', socket);
      return socket;
    };
    return { arrive, server };
  };
  return { connections, door };
}

const caller = (id: string, role: Caller['role'] = 'monitor'): Caller => ({ id, name: id, role });
const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make);
const most = LIMITS.unauthenticatedConnections.value;

describe('connections over which no token was shown', () => {
  it('are so many, and one more ends the oldest of the peer that has most', () => {
    const { connections, door } = doors();
    const { arrive } = door();
    const [other] = times(1, () => arrive('192.0.2.1'));
    const flood = times(most - 1, () => arrive('192.0.2.2'));
    expect([other, ...flood].some((socket) => socket?.destroyed)).toBe(false);
    const late = times(10, () => arrive('192.0.2.2'));
    expect(flood.map(({ destroyed }) => destroyed)).toEqual(flood.map((_, n) => n < 10));
    expect([other, ...late].some((socket) => socket?.destroyed)).toBe(false);
    const elsewhere = door().arrive('192.0.2.2');
    expect(flood[10]?.destroyed).toBe(false);
    expect(elsewhere.destroyed).toBe(false);
    // Whoever has shown a token is no stranger any more, however old its connection is.
    const known = flood[10];
    if (known) connections.connected(known, caller('ann'));
    times(most, () => arrive('192.0.2.2'));
    expect([known?.destroyed, flood[11]?.destroyed]).toEqual([false, true]);
  });

  it('make room when they leave', async () => {
    const { door } = doors();
    const { arrive } = door();
    const [first, ...rest] = times(most, () => arrive('192.0.2.1'));
    for (const socket of rest) socket.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    times(most - 1, () => arrive('192.0.2.1'));
    expect(first?.destroyed).toBe(false);
  });
});

describe('connections over which a token was shown', () => {
  it('are so many of one token and of one run, and another caller has its own', async () => {
    const { connections, door } = doors();
    const { arrive } = door();
    const show = (count: number, who: Caller) =>
      times(count, () => {
        const socket = arrive('127.0.0.1');
        connections.connected(socket, who);
        return socket;
      });
    const [ann, run] = [caller('ann'), caller('run_1', 'run')];
    const annes = show(LIMITS.connectionsPerCaller.value, ann);
    show(LIMITS.connectionsPerRun.value, run);
    expect(() => show(1, ann)).toThrow(`more than ${LIMITS.connectionsPerCaller.value} connections`);
    expect(() => show(1, run)).toThrow(`more than ${LIMITS.connectionsPerRun.value} connections`);
    show(1, caller('run_2', 'run'));
    // Over one that counts already nothing is counted again.
    const [own] = annes;
    if (own) connections.connected(own, ann);
    own?.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(() => show(1, ann)).not.toThrow();
  });

  it('are known again behind TLS, where requests come over another object', () => {
    const { connections, door } = doors();
    const { arrive, server } = door();
    const raw = arrive('192.0.2.1');
    const { remoteAddress, remotePort } = raw;
    const secure = Object.assign(new PassThrough(), { remoteAddress, remotePort });
    server.emit('secureConnection', secure);
    connections.connected(secure, caller('ann'));
    times(most + 1, () => arrive('192.0.2.1'));
    expect(raw.destroyed).toBe(false);
  });
});
