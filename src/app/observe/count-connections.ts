import type { Server } from 'node:http';
import type { Meters } from './meters.ts';

/** Connections to a server, and those of them that somebody takes over as web sockets. */
export function countConnections(server: Server, meters: Meters): void {
  server.on('connection', (socket) => {
    meters.shift('fleet_http_connections', 1);
    socket.once('close', () => meters.shift('fleet_http_connections', -1));
  });
  // To listen for upgrades is to promise an answer: they are counted only where somebody else gives one.
  server.on('newListener', (event) => {
    if (event !== 'upgrade' || server.listenerCount('upgrade') > 0) return;
    queueMicrotask(() => server.on('upgrade', (_request, socket) => countStream(socket, 'websocket', meters)));
  });
}

interface Closing {
  readonly closed: boolean;
  once(event: 'close', then: () => void): unknown;
}

/** A live stream, until it is closed. */
export function countStream(stream: Closing, kind: 'events' | 'websocket', meters: Meters): void {
  if (stream.closed) return;
  meters.shift('fleet_live_clients', 1, { kind });
  stream.once('close', () => meters.shift('fleet_live_clients', -1, { kind }));
}
