import { unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Settings } from '../../domain/settings.ts';
import { redeem } from '../../operations/token/token.ts';
import { systemClock } from '../../platform/clock.ts';
import { sweepTemporary, writeFileAtomic } from '../../platform/files.ts';
import { admittedWeb } from '../../surfaces/http/admission.ts';
import { AnswerCache } from '../../surfaces/http/answer-cache.ts';
import { mountFront } from '../../surfaces/http/front.ts';
import { mountLogin } from '../../surfaces/http/login.ts';
import { rateLimit } from '../../surfaces/http/rate-limit.ts';
import type { Web, WebDeps } from '../../surfaces/http/web.ts';
import { mountLive } from '../../surfaces/live/live.ts';
import { mountMcp } from '../../surfaces/mcp/http/mount.ts';
import { mountHealth } from '../../surfaces/metrics/health.ts';
import { mountMetrics } from '../../surfaces/metrics/metrics.ts';
import { mountDescription } from '../../surfaces/rest/describe.ts';
import { restAnswerer } from '../../surfaces/rest/rest.ts';
import { ensureAdminToken } from '../auth/admin-token.ts';
import { identifier } from '../auth/identify.ts';
import type { TextSigner } from '../auth/signer.ts';
import { mountServers } from '../mcp/servers-route.ts';
import type { Observed } from '../observe/observe.ts';
import type { FleetServices, ProcessSelf } from '../open-services.ts';
import { VERSION } from '../version.ts';
import { Connections } from './connections.ts';
import { type App, type ListeningServer, listenSocket, listenTcp, socketPath } from './listen.ts';
import { type AgentsDoor, liveFile, type WhereLive } from './live-file.ts';
import { onceThereIsRoom } from './once-there-is-room.ts';
import { assertReachable, inUrl, rulesMemo } from './rules.ts';
import { spoolHints } from './spool-hints.ts';

type Log = (event: string, fields: Record<string, unknown>) => void;

export interface Server {
  /** Its address, when it listens at a TCP port. */
  readonly url?: string | undefined;
  /** Everything that can be asked for, as `METHOD /path`. */
  readonly routes: readonly string[];
  /** Opens the socket of the home and says where we are. Only for the holder of the lease. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerWish {
  readonly self: ProcessSelf;
  readonly log: Log;
  readonly tcp: 'needed' | 'if free' | 'none';
  readonly observed: Observed;
  /** What secrets of MCP servers refer to. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Streams end as soon as it aborts, and do not wait for the engine to come to rest. */
  readonly signal: AbortSignal;
}

/** The server of a home: one application, behind one gate, at a TCP port and at the socket of the home. */
export async function openServer(
  house: FleetServices,
  { self, log, tcp, observed, env = {}, signal }: ServerWish,
): Promise<Server> {
  const signer = await house.signer();
  const bound: { port?: number | undefined } = {};
  const connections = new Connections();
  const needs = webNeeds(house, { log, observed, signer, bound, connections });
  const web = admittedWeb(needs);
  const rest = restAnswerer(needs, new AnswerCache(needs));
  const { live, mcp } = mounted(web, house, { needs, observed, env });
  signal.addEventListener('abort', () => void live.close(), { once: true });
  const app: App = { web, answer: rest.answer, connections, onUpgrade: live.onUpgrade };
  const { values } = house.settings.current();
  const listener = tcp === 'none' ? undefined : await atPort(app, values, tcp === 'needed' ? undefined : log);
  const open: ListeningServer[] = listener ? [listener] : [];
  if (listener) observed.watch(listener.server);
  const port = listener?.port;
  bound.port = port;
  const scheme = values.tls_cert === undefined ? 'http' : 'https';
  const url = port === undefined ? undefined : `${scheme}://${inUrl(values.bind)}:${port}`;
  const { paths } = house;
  const where: WhereLive = { ...self, version: VERSION, socket: socketPath(paths.path), ...(url === undefined ? {} : { url }) };
  const forRuns: AgentsDoor = { version: VERSION, socket: socketPath(paths.path, 'agents') };
  return {
    url,
    routes: [
      ...rest.routes,
      ...web.routes.filter(({ method }) => method !== 'ALL').map(({ method, path: at }) => `${method} ${at}`),
    ],
    announce: async () => {
      const written = (write: () => Promise<unknown>) => onceThereIsRoom(write, { log, signal });
      await ensureOwner(house, signer, written);
      const sockets = [await listenSocket(app, where.socket, false), await listenSocket(app, forRuns.socket, true)];
      for (const { server } of sockets) observed.watch(server);
      open.push(...sockets);
      await sweepHome(paths);
      await written(() => writeFileAtomic(paths.agentsDoor, `${JSON.stringify(forRuns)}\n`));
      await written(() => writeFileAtomic(paths.live, `${JSON.stringify(where)}\n`));
      log('http.listening', { ...(url === undefined ? {} : { url }), socket: where.socket });
    },
    close: async () => {
      const file = await liveFile(paths.live);
      if (file?.pid === self.pid && file.started === self.started) {
        const told = [paths.live, paths.agentsDoor, where.socket, forRuns.socket];
        await Promise.all(told.map((path) => unlink(path).catch(() => undefined)));
      }
      await Promise.all([live.close(), mcp.close()]);
      await Promise.all(open.map(({ close }) => close()));
    },
  };
}

/** The key with which the owner of the home comes in. */
const ensureOwner = (
  house: FleetServices,
  signer: TextSigner,
  written: (write: () => Promise<unknown>) => Promise<void>,
): Promise<void> =>
  ensureAdminToken({
    store: house.store,
    signer,
    file: house.paths.adminToken,
    person: house.settings.current().values.person,
    now: house.now,
    tokenId: house.ids.token,
    written,
  });

const LEFT_MS = 24 * 60 * 60_000;

/** Only the holder of the lease writes `up.json` and `agents.json`; the writers of other files may still be at it. */
async function sweepHome({ path, live, agentsDoor }: FleetServices['paths']): Promise<void> {
  const now = systemClock.now();
  const own = [live, agentsDoor].map((file) => basename(file));
  await sweepTemporary(path, (target, changedMs) => own.includes(target) || now - changedMs > LEFT_MS);
}

/** With a log, a port that cannot be had is told there and is no reason to stop. */
async function atPort(
  app: App,
  settings: Settings,
  log: Log | undefined,
): Promise<(ListeningServer & { port: number }) | undefined> {
  const { port, bind, tls_cert: cert, tls_key: key } = settings;
  assertReachable(settings);
  return listenTcp(app, { port, bind, tls: cert !== undefined && key !== undefined ? { cert, key } : undefined }).catch(
    (error: unknown) => {
      if (!log) throw error;
      log('http.no_port', { why: error instanceof Error ? error.message : String(error) });
      return undefined;
    },
  );
}

/** How rows and settings stand: both decide what is answered. */
function revisionOf({ store, settings }: FleetServices): () => number | undefined {
  let seen = settings.current();
  let readings = 0;
  return () => {
    const now = settings.current();
    if (now !== seen) readings += 1;
    seen = now;
    const revision = store.revision?.();
    return revision === undefined ? undefined : readings * 2 ** 32 + revision;
  };
}

/** Nobody else has our beginning, and we count. */
function requestNumbers(beginning: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${beginning}-${count}`;
  };
}

interface Given extends Pick<ServerWish, 'log' | 'observed'> {
  readonly signer: TextSigner;
  /** Known as soon as it listens. */
  readonly bound: { readonly port?: number | undefined };
  readonly connections: Connections;
}

function webNeeds(house: FleetServices, { log, observed, signer, bound, connections }: Given): WebDeps {
  const memo = rulesMemo();
  const rules = () => memo(house.settings.current().values, bound.port);
  const { elapsed } = systemClock;
  return {
    version: VERSION,
    identify: identifier({ signer, store: house.store, now: systemClock.now }),
    callAs: house.callAs,
    redeem: (code) => redeem(code, { store: house.store, signer, ids: house.ids, now: house.now }),
    rules,
    within: rateLimit({ rules, elapsed }),
    connected: (socket, caller) => connections.connected(socket, caller),
    revision: revisionOf(house),
    now: systemClock.now,
    elapsed,
    id: requestNumbers(house.ids.question().slice('question_'.length)),
    log,
    onAnswer: observed.onAnswer,
    onStream: observed.onStream,
  };
}

interface Mounting {
  readonly needs: WebDeps;
  readonly observed: Observed;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Every surface, behind the gate. */
function mounted(web: Web, house: FleetServices, { needs, observed, env }: Mounting) {
  mountHealth(web, { ...observed, identify: needs.identify });
  mountMetrics(web, observed.figures);
  mountServers(web, house, env);
  mountFront(web, needs);
  mountLogin(web, needs);
  mountDescription(web, VERSION);
  const output = { read: house.output.read, follow: spoolHints(house.paths.runs) };
  const live = mountLive(web, { ...needs, owner: house.call, onNews: house.onNews, output });
  return { live, mcp: mountMcp(web, needs) };
}
