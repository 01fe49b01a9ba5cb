import { execFile } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { bubblewrap } from '../clis/bubblewrap.ts';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';

const found = await bubblewrap();
/** Where there is no bubblewrap that works, titles say so. */
export const boxed = (title: string, body: () => Promise<void>): void =>
  'missing' in found ? it.skip(`${title}; not run: ${found.missing}`) : it(title, body);

/** The path on which a bubblewrap that works is found, if there is one. */
export const boxPath = (path = ''): string => ('directory' in found ? `${found.directory}:${path}` : path);

/** What houses of tests work in belongs to whoever runs the tests: as root their agents are root too, unless one says otherwise. */
export const AS_WHOEVER_TESTS = 'sandbox_as_root=true';

export async function boxHouse(settings: readonly string[] = []): Promise<FaultHouse> {
  const house = await faultHouse([AS_WHOEVER_TESTS, ...settings]);
  const env: Record<string, string> = house.env;
  env['PATH'] = boxPath(env['PATH']);
  return house;
}

/** The same, where it takes long and a shorter test proves the main thing. */
export const boxedLong = (title: string, body: () => Promise<void>): void =>
  'missing' in found ? boxed(title, body) : fullOnly(title, body);

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
export const exporting = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');

/** Counts whoever comes. */
export async function listener(): Promise<{ readonly port: number; readonly server: Server; seen(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return { port: (server.address() as { port: number }).port, server, seen: () => count };
}

const machineAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one && !one.internal && one.family === 'IPv4')?.address ?? '127.0.0.2';

const run = promisify(execFile);

/** The machine around a sandbox, with something to find in every corner. */
export async function surroundings(house: FaultHouse) {
  const [home, beside, terminals] = [
    house.env['HOME'] ?? '',
    join(house.directory, 'beside'),
    join(house.directory, 'tmux.sock'),
  ];
  for (const directory of [join(home, '.ssh'), join(home, '.config', 'tool'), beside])
    await mkdir(directory, { recursive: true });
  await writeFile(join(home, '.ssh', 'id_canary'), 'canary of the home\n');
  await writeFile(join(home, '.config', 'tool', 'conf'), 'shown\n');
  await writeFile(join(home, 'notes'), 'canary\n');
  await writeFile(join(beside, 'canary'), 'canary beside\n');
  await run('tmux', ['-f', '/dev/null', '-S', terminals, 'new-session', '-d', '-s', 'canary', '-c', beside]);
  const repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'none']);
  const canary = await listener();
  return {
    canary,
    beside,
    repo,
    variables: {
      REAL_HOME: home,
      REAL_FLEET: house.home,
      BESIDE: beside,
      TMUX_SOCKET: terminals,
      COMMON_GIT: join(await realpath(repo), '.git'),
      CANARY_PORT: String(canary.port),
      MACHINE: machineAddress(),
    },
    end: async () => {
      canary.server.close();
      await run('tmux', ['-S', terminals, 'kill-server']).catch(() => undefined);
    },
  };
}

export const inShop = async (house: FaultHouse, prompt: string, ...more: readonly string[]) => {
  const words = [
    'task',
    'create',
    '--project',
    'shop',
    '--executor',
    'shell',
    '--sandbox',
    '--json',
    '--prompt',
    prompt,
    ...more,
  ];
  return (await house.ok(words)).json<{ id: string }>().id;
};
