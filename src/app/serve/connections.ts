import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Caller } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';

interface Held {
  readonly socket: Socket;
  readonly peer: string;
  readonly door: UnknownPeers;
  /** Whose token was shown over it last. */
  caller?: string;
}

/**
 * Who holds connections to the server. Over a new one nobody has shown a token yet: of those each door has room for so
 * many, and one more ends the oldest of the peer that has most, so that whoever opens thousands and says nothing pushes out
 * nobody but himself; whoever shows his token with his first words is let in at once. Then it counts for its caller.
 */
export class Connections {
  readonly #held = new WeakMap<Duplex, Held>();
  readonly #callers = new Map<string, number>();

  /** Counts every connection of the server. Each server is a door with room of its own. */
  watch(server: Server): void {
    const door = new UnknownPeers();
    const byPlace = new Map<string, Held>();
    server.on('connection', (socket: Socket) => {
      const held: Held = { socket, peer: socket.remoteAddress ?? '', door };
      this.#held.set(socket, held);
      door.add(held);
      const place = placeOf(socket);
      byPlace.set(place, held);
      socket.once('close', () => {
        if (byPlace.get(place) === held) byPlace.delete(place);
        door.remove(held);
        this.#leave(held);
      });
    });
    // With TLS, requests come over another object than the connection; both have the same other end.
    server.on('secureConnection', (socket: Socket) => {
      const held = byPlace.get(placeOf(socket));
      if (held) this.#held.set(socket, held);
    });
  }

  /** Somebody has shown a token over it. Throws Fault('limit') when that caller has too many. */
  connected(socket: Duplex, { id, role }: Caller): void {
    const held = this.#held.get(socket);
    if (!held || held.caller === id || held.socket.destroyed) return;
    const most = (role === 'run' ? LIMITS.connectionsPerRun : LIMITS.connectionsPerCaller).value;
    const open = this.#callers.get(id) ?? 0;
    if (open >= most) throw new Fault('limit', `more than ${most} connections are open with this token: close some`);
    this.#leave(held);
    held.caller = id;
    held.door.remove(held);
    this.#callers.set(id, open + 1);
  }

  #leave({ caller }: Held): void {
    if (caller === undefined) return;
    const left = (this.#callers.get(caller) ?? 1) - 1;
    if (left > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
  }
}

const placeOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Connections to one door over which nobody has shown a token, by peer, oldest first. */
class UnknownPeers {
  readonly #peers = new Map<string, Set<Held>>();
  #count = 0;

  add(held: Held): void {
    const own = this.#peers.get(held.peer) ?? new Set();
    this.#peers.set(held.peer, own.add(held));
    this.#count += 1;
    if (this.#count > LIMITS.unauthenticatedConnections.value) this.#endOldest();
  }

  remove(held: Held): void {
    const own = this.#peers.get(held.peer);
    if (!own?.delete(held)) return;
    this.#count -= 1;
    if (own.size === 0) this.#peers.delete(held.peer);
  }

  #endOldest(): void {
    let most: Set<Held> | undefined;
    for (const own of this.#peers.values()) if (own.size > (most?.size ?? 0)) most = own;
    const [oldest] = most ?? [];
    if (!oldest) return;
    this.remove(oldest);
    oldest.socket.destroy();
  }
}
