import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { runs } from '../../store/records/runs.ts';
import { openObserved } from '../observe/observe.ts';
import { openServices } from '../open-services.ts';
import { openServer } from '../serve/serve.ts';
import { signingSecret } from './secret.ts';

let place: ServerHouse;
const { signal } = new AbortController();

beforeAll(async () => {
  place = await serverHouse();
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

const base64 = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1_000);

async function corpus(): Promise<[string, string][]> {
  const { admin, house, forged } = place;
  const secret = await signingSecret(house.paths.secret, {});
  const [head = '', body = '', mac = ''] = admin.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  const good = { ...claims };
  const withHeader = (header: object, key: Uint8Array = secret) =>
    new SignJWT(good).setProtectedHeader({ alg: 'HS256', ...header } as never).sign(key);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsBody = `${base64({ alg: 'RS256' })}.${body}`;
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  return [
    ['alg none', `${base64({ alg: 'none' })}.${body}.`],
    ['alg None', `${base64({ alg: 'None' })}.${body}.`],
    ['alg NONE with the mac', `${base64({ alg: 'NONE' })}.${body}.${mac}`],
    ['no mac', `${head}.${body}.`],
    ['no mac and no dot', `${head}.${body}`],
    ['RS256', `${rsBody}.${sign('sha256', Buffer.from(rsBody), privateKey).toString('base64url')}`],
    ['the public key as a secret', await new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(pem))],
    ['HS512 with our secret', await new SignJWT(good).setProtectedHeader({ alg: 'HS512' }).sign(Buffer.concat([secret, secret]))],
    ['HS384 with our secret', await new SignJWT(good).setProtectedHeader({ alg: 'HS384' }).sign(Buffer.concat([secret, secret]))],
    ['another secret', await forged(good, randomBytes(32))],
    ['an empty secret', await forged(good, new Uint8Array(32))],
    ['changed role', `${head}.${base64({ ...claims, role: 'coordinator' })}.${mac}`],
    ['changed expiry', `${head}.${base64({ ...claims, exp: claims.exp + 1 })}.${mac}`],
    ['changed mac', `${head}.${body}.${mac.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))}`],
    ['expired', await forged({ ...good, exp: now() - 1 })],
    ['not yet', await forged({ ...good, nbf: now() + 3_600 })],
    ['no expiry', await forged({ ...good, exp: undefined })],
    ['no audience', await forged({ ...good, aud: undefined })],
    ['another audience', await forged({ ...good, aud: ['fleet2'] })],
    ['another issuer', await forged({ ...good, iss: 'evil' })],
    ['no id', await forged({ ...good, jti: undefined })],
    ['an id we never gave', await forged({ ...good, jti: house.ids.token() })],
    ['an unheard-of role', await forged({ ...good, role: 'root' })],
    ['one claim too many', await forged({ ...good, scopes: ['admin'] })],
    [
      'a run that is not there',
      await forged({ ...good, role: 'run', task: house.ids.task(), jti: house.ids.run(), sub: house.ids.run() }),
    ],
    [
      'a critical header',
      await withHeader({ crit: ['exp'], exp: 1 }).catch(() => `${base64({ alg: 'HS256', crit: ['x'], x: 1 })}.${body}.${mac}`),
    ],
    ['a key by path', `${base64({ alg: 'HS256', kid: '../../dev/null' })}.${body}.${mac}`],
    ['a key by address', `${base64({ alg: 'HS256', jku: 'http://127.0.0.1:1/' })}.${body}.${mac}`],
    ['a jwk inside', `${base64({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } })}.${body}.${mac}`],
    ['two tokens', `${admin}.${admin}`],
    ['a word', 'admin'],
  ];
}

describe('a token that is not ours', () => {
  it('opens nothing, however it is made [T5]', async () => {
    const opened: string[] = [];
    for (const [name, token] of await corpus()) if ((await place.ask('/v1/tasks', { token })).status !== 401) opened.push(name);
    expect(opened).toEqual([]);
    expect((await corpus()).length).toBeGreaterThanOrEqual(25);
    expect((await place.ask('/v1/tasks', { token: place.admin })).status).toBe(200);
  });

  it('of a scheme that is not ours opens nothing', async () => {
    for (const authorization of [
      `Basic ${place.admin}`,
      place.admin,
      `Bearer  ${place.admin}x`,
      'Bearer',
      `Token ${place.admin}`,
    ])
      expect((await place.ask('/v1/tasks', { headers: { authorization } })).status).toBe(401);
  });
});

describe('a token', () => {
  it('lives over a restart, and the file of its owner is for its owner alone [T5] [T26]', async () => {
    await using first = await serverHouse();
    const monitor = await first.tokenFor('monitor');
    const { paths } = first.house;
    for (const file of [paths.secret, paths.adminToken, paths.database, paths.live])
      expect((await stat(file)).mode & 0o077).toBe(0);
    expect((await stat(paths.path)).mode & 0o077).toBe(0);
    expect((await stat(join(paths.path, 'fleet.sock'))).mode & 0o077).toBe(0);
    const before = await readFile(paths.adminToken, 'utf8');
    await first.server.close();
    using observed = openObserved(first.house, () => undefined);
    const again = await openServer(first.house, {
      self: await first.house.self(),
      tcp: 'needed',
      log: () => undefined,
      observed,
      signal,
    });
    await again.announce();
    const { status } = await fetch(`${again.url}/v1/tasks`, { headers: { authorization: `Bearer ${monitor}` } });
    expect(status).toBe(200);
    expect(await readFile(paths.adminToken, 'utf8')).toBe(before);
    await again.close();
  });

  it('that is revoked opens nothing from that moment on', async () => {
    const token = await place.tokenFor('monitor', { name: 'short' });
    expect((await place.ask('/v1/tasks', { token })).status).toBe(200);
    const { json } = await place.ask('/v1/tokens', { token: place.admin });
    const { id } = json.items.find(({ name }: { name: string }) => name === 'short');
    await place.house.call('token.revoke', { id });
    expect((await place.ask('/v1/tasks', { token })).status).toBe(401);
  });

  it('of a run is as good as its run is alive [T6]', async () => {
    const task = await place.house.call('task.create', { prompt: 'x', directory: place.directory });
    const { run, token } = await place.runOf(task.id);
    expect((await place.ask(`/v1/tasks/${task.id}`, { token })).status).toBe(200);
    const seen = await runs.get(place.house.store, run.id);
    const ended = { ...run, phase: { state: 'ended', at: place.house.now(), outcome: 'succeeded' } as const };
    await place.house.store.commit([runs.put(ended, seen?.version ?? 'absent')]);
    expect((await place.ask(`/v1/tasks/${task.id}`, { token })).status).toBe(401);
  });

  it('is shown once: neither its row nor a keyed answer keeps it', async () => {
    const make = () =>
      place.ask('/v1/tokens', {
        method: 'POST',
        token: place.admin,
        headers: { 'idempotency-key': 'one' },
        body: { name: 'keyed', role: 'monitor' },
      });
    const [first, second] = [await make(), await make()];
    expect(second).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(second.text).not.toContain(first.json.token);
    const { json } = await place.ask('/v1/tokens', { token: place.admin });
    expect(JSON.stringify(json)).not.toContain(first.json.token);
    const { paths } = place.house;
    for (const file of [paths.database, `${paths.database}-wal`])
      expect((await readFile(file)).includes(Buffer.from(first.json.token.split('.')[2]))).toBe(false);
  });
});

describe('the secret of a home', () => {
  it('is refused when others may know it [T5]', async () => {
    await using own = await serverHouse();
    const { secret } = own.house.paths;
    const words = [
      'changeme',
      'x'.repeat(40),
      'please-change-me-please-change-me-please',
      'my-super-secret-key-for-signing-things',
    ];
    for (const given of words) await expect(signingSecret(secret, { FLEET_SECRET: given })).rejects.toThrow(/FLEET_SECRET/);
    const good = randomBytes(32).toString('base64');
    expect((await signingSecret(secret, { FLEET_SECRET: good })).length).toBe(32);
    await chmod(secret, 0o644);
    await expect(signingSecret(secret, {})).rejects.toThrow('can be read by others');
    await chmod(secret, 0o600);
    await writeFile(secret, 'short');
    await expect(signingSecret(secret, {})).rejects.toThrow('does not hold a secret');
    await rm(secret);
    const made = await Promise.all(Array.from({ length: 8 }, () => signingSecret(secret, {})));
    expect(new Set(made.map((one) => Buffer.from(one).toString('hex'))).size).toBe(1);
  });
});

describe('a server that others could reach', () => {
  it('does not start without TLS or a word about it [API-08]', async () => {
    await using own = await serverHouse();
    const env = { FLEET_HOME: own.house.paths.path, HOME: own.directory };
    const open = async (more: Record<string, string>) => {
      const house = await openServices({ ...env, FLEET_PORT: '0', ...more }, own.directory);
      try {
        using observed = openObserved(house, () => undefined);
        const server = await openServer(house, {
          self: await house.self(),
          tcp: 'needed',
          log: () => undefined,
          observed,
          signal,
        });
        await server.close();
        return 'open';
      } catch (error) {
        return String(error);
      } finally {
        await house.close();
      }
    };
    expect(await open({ FLEET_BIND: '0.0.0.0' })).toContain('tokens would travel in clear');
    expect(await open({ FLEET_BIND: '::' })).toContain('tokens would travel in clear');
    expect(await open({ FLEET_BIND: '0.0.0.0', FLEET_TLS_CERT: 'x' })).toContain('belong together');
    expect(await open({ FLEET_BIND: '0.0.0.0', FLEET_TLS_CERT: '/x', FLEET_TLS_KEY: '/x' })).toContain('cannot be read');
    expect(await open({ FLEET_BIND: '203.0.113.7', FLEET_BEHIND_PROXY: 'true' })).toContain('no address of this machine');
    expect(await open({ FLEET_BIND: '127.0.0.1' })).toBe('open');
  });
});
