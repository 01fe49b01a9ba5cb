import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { hasCode, PRIVATE_DIRECTORY, PRIVATE_FILE } from '../../platform/files.ts';
import type { Answerer, Door, Web, WebVariables } from '../../surfaces/http/web.ts';
import type { Connections } from './connections.ts';

/** What answers requests, and what takes connections over. */
export interface App {
  readonly web: Web;
  /** Asked first: operations are answered without the web application. */
  readonly answer?: Answerer;
  /** Who holds connections. */
  readonly connections?: Pick<Connections, 'watch'>;
  onUpgrade(request: IncomingMessage & Partial<Door>, socket: Duplex, head: Buffer): void;
}

export interface ListeningServer {
  readonly server: Server;
  close(): Promise<void>;
}

export interface TcpWish {
  readonly port: number;
  readonly bind: string;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** A request that dawdles is not waited for, and there are only so many connections. */
const PATIENCE = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5_000 };

/** Agents are many, and programs of ours speak for them. */
const RUNS = { headersTimeout: 5_000, requestTimeout: 30_000, maxHeaderSize: LIMITS.runHeaderBytes.value };

/** Also where nothing is said for so long before the first request, and in the greeting of TLS. */
const HANDSHAKE_MS = PATIENCE.headersTimeout;

interface Kind extends Door {
  readonly tls?: { cert: Buffer; key: Buffer } | undefined;
}

function serverFor({ web, answer: first, onUpgrade, connections }: App, { tls, isLocal, isForRuns }: Kind): Server {
  const door: Door = { isLocal, isForRuns };
  const fetch = (request: Request, env: object) => web.fetch(request, { ...env, ...door } as WebVariables['Bindings']);
  const listener = getRequestListener(fetch);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (isForRuns) Object.assign(request, door);
    if (!first?.(request, response, door)) void listener(request, response);
  };
  const server = tls
    ? createTlsServer({ ...PATIENCE, handshakeTimeout: HANDSHAKE_MS, ...tls }, answer)
    : createServer(isForRuns ? { ...PATIENCE, ...RUNS } : PATIENCE, answer);
  server.on('upgrade', (request, socket, head: Buffer) => onUpgrade(Object.assign(request, door), socket, head));
  connections?.watch(server);
  server.maxConnections = LIMITS.connections.value;
  return server;
}

export async function listenTcp(app: App, { port, bind, tls }: TcpWish): Promise<ListeningServer & { port: number }> {
  const files = tls && { cert: await pem(tls.cert, 'tls_cert'), key: await pem(tls.key, 'tls_key') };
  const server = serverFor(app, { tls: files, isLocal: false, isForRuns: false });
  await listening(server, { port, host: bind, backlog: BACKLOG }).catch((error: unknown) => {
    throw refused(error, port, bind);
  });
  return { ...closing(server), port: (server.address() as AddressInfo).port };
}

async function pem(file: string, setting: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new Fault('invalid', `setting ${setting}: ${file} cannot be read`, {}, { cause: error });
  });
}

function refused(error: unknown, port: number, bind: string): Fault {
  if (hasCode(error, 'EADDRINUSE'))
    return new Fault('unavailable', `port ${port} is in use by another program`, {
      hint: 'choose another with --port N, or 0 for any that is free',
      port,
    });
  if (hasCode(error, 'EACCES'))
    return new Fault('unavailable', `this user may not listen at port ${port}: choose one above 1023`);
  if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND'))
    return new Fault('invalid', `bind is ${JSON.stringify(bind)}, which is no address of this machine`);
  return new Fault('unavailable', `cannot listen at ${bind}:${port}`, {}, { cause: error });
}

/** A path of a unix socket has room for 107 bytes. */
const LONGEST = 100;

/** Where a socket of a home is, that of its owner or that of its runs: in it, unless its path is too long for a socket. */
export function socketPath(home: string, name: 'fleet' | 'agents' = 'fleet'): string {
  const inside = join(home, `${name}.sock`);
  if (Buffer.byteLength(inside) <= LONGEST) return inside;
  const { uid } = userInfo();
  const short = createHash('sha256').update(home).digest('hex').slice(0, 24);
  return join('/tmp', `fleet-${uid}`, `${short}${name === 'fleet' ? '' : `-${name}`}.sock`);
}

/** Only the holder of the lease listens there, so whatever lies at the path is left over. */
export async function listenSocket(app: App, path: string, isForRuns: boolean): Promise<ListeningServer> {
  await privateDirectory(dirname(path));
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  const server = serverFor(app, { isLocal: true, isForRuns });
  await listening(server, { path, backlog: BACKLOG });
  await chmod(path, PRIVATE_FILE);
  return closing(server);
}

/** In a directory that others can write, a name is not ours. */
async function privateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  const { mode, uid } = await lstat(path);
  if (uid !== userInfo().uid || (mode & 0o022) !== 0)
    throw new Fault('unavailable', `${path} can be changed by others: no socket is opened there`);
}

/** As many as the kernel keeps waiting by itself: whoever comes next is turned away at once. */
const BACKLOG = 4_096;

const listening = (server: Server, where: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });

const closing = (server: Server): ListeningServer => ({
  server,
  close: () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
});
