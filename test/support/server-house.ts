import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { signingSecret } from '../../src/app/auth/secret.ts';
import { adminToken } from '../../src/app/auth/token-file.ts';
import { openObserved } from '../../src/app/observe/observe.ts';
import { type FleetServices, openServices } from '../../src/app/open-services.ts';
import { openServer, type Server } from '../../src/app/serve/serve.ts';
import type { Run } from '../../src/domain/run/run.ts';
import type { TaskId } from '../../src/domain/values.ts';
import { runs } from '../../src/store/records/runs.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface Wish {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string;
}

/** A house with its server and without an engine: what is asked is written, and nothing happens by itself. */
export interface ServerHouse extends AsyncDisposable {
  readonly house: FleetServices;
  readonly server: Server;
  readonly url: string;
  readonly admin: string;
  readonly directory: string;
  readonly logged: { event: string; fields: Record<string, unknown> }[];
  ask(path: string, wish?: Wish): Promise<Answer>;
  /** Grows with every commit, and with nothing else. */
  written(): Promise<number>;
  tokenFor(role: string, more?: object): Promise<string>;
  /** A token with these claims, signed with the right secret or another. */
  forged(claims: Record<string, unknown>, secret?: Uint8Array): Promise<string>;
  /** A run of the task that somebody is said to be working on, and its token. */
  runOf(taskId: TaskId): Promise<{ run: Run; token: string }>;
}

export async function serverHouse(env: Record<string, string> = {}): Promise<ServerHouse> {
  const directory = await mkdtemp(join(tmpdir(), 'fleet server '));
  const home = join(directory, 'home');
  const house = await openServices(
    { FLEET_HOME: home, HOME: directory, PATH: process.env['PATH'], FLEET_SCRIPTED: 'true', ...env },
    directory,
    {
      port: '0',
    },
  );
  const logged: ServerHouse['logged'] = [];
  await house.call('home.init', {});
  const self = await house.self();
  const log = (event: string, fields: Record<string, unknown>) => void logged.push({ event, fields });
  const observed = openObserved(house, log);
  const server = await openServer(house, { self, tcp: 'needed', log, observed, signal: new AbortController().signal });
  await server.announce();
  const url = server.url ?? '';
  const admin = (await adminToken(house.paths.adminToken)) ?? '';
  const secret = await signingSecret(house.paths.secret, {});
  const ask = (path: string, wish: Wish = {}) => asked(`${url}${path}`, wish);
  return {
    house,
    server,
    url,
    admin,
    directory,
    logged,
    ask,
    written: async () => (await stat(`${house.paths.database}-wal`)).size,
    tokenFor: async (role, more = {}) => {
      const { status, json } = await ask('/v1/tokens', { method: 'POST', token: admin, body: { name: role, role, ...more } });
      if (status !== 201) throw new Error(`no token for ${role}: ${JSON.stringify(json)}`);
      return json.token;
    },
    forged: (claims, key = secret) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key),
    runOf: async (taskId) => {
      const now = house.now();
      const run: Run = {
        id: house.ids.run(),
        seq: 1,
        taskId,
        kind: 'agent',
        attempt: 1,
        executor: 'scripted',
        host: 'elsewhere',
        holds: [],
        phase: { state: 'claimed', since: now },
        createdAt: now,
        updatedAt: now,
      };
      await house.store.commit([runs.put(run, 'absent')]);
      return { run, token: await (await house.signer()).signRun(run) };
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      observed[Symbol.dispose]();
      await house.close();
      await rm(directory, { recursive: true });
    },
  };
}

function asked(url: string, { method = 'GET', token, headers = {}, body, raw }: Wish): Promise<Answer> {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const whole = Buffer.concat(parts).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: whole, json: parsed(whole) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
