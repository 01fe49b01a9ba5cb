import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { markFormat } from './home-format.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where everything of this fleet lives. */
export interface HomePaths {
  readonly path: string;
  /** Says how all this lies. */
  readonly format: string;
  readonly database: string;
  readonly settings: string;
  readonly blobs: string;
  readonly runs: string;
  readonly tasks: string;
  readonly bin: string;
  readonly backups: string;
  readonly executors: string;
  readonly accounts: string;
  readonly workspaces: string;
  readonly trash: string;
  /** Workspaces that could be neither kept nor cleared. */
  readonly aside: string;
  readonly secret: string;
  readonly adminToken: string;
  /** Says where a live server is. */
  readonly live: string;
  /** Says where runs find it: by a door of their own. */
  readonly agentsDoor: string;
  /** Which programs have told their version, as the files they are. */
  readonly programs: string;
}

/** In a home. */
export const AGENTS_DOOR = 'agents.json';

export function homePaths(env: Env, cwd: string): HomePaths {
  const asked = env['FLEET_HOME'];
  if (asked?.trim() === '') throw new Fault('invalid', 'FLEET_HOME is empty: unset it or name a directory');
  if (asked?.includes('\0')) throw new Fault('invalid', 'FLEET_HOME contains a NUL character');
  const path = asked === undefined ? join(env['HOME'] || homedir(), '.fleet') : absolute(asked, env, cwd);
  // Node's recursive mkdir never returns below /proc.
  if (/^\/(proc|sys)(\/|$)/.test(path)) throw new Fault('invalid', `${path} cannot be a home: it belongs to the kernel`);
  return {
    path,
    format: join(path, 'format.json'),
    database: join(path, 'fleet.db'),
    settings: join(path, 'runtime.toml'),
    blobs: join(path, 'texts'),
    runs: join(path, 'runs'),
    tasks: join(path, 'tasks'),
    bin: join(path, 'bin'),
    backups: join(path, 'backups'),
    executors: join(path, 'executors'),
    accounts: join(path, 'accounts'),
    workspaces: join(path, 'workspaces'),
    trash: join(path, 'trash'),
    aside: join(path, 'aside'),
    secret: join(path, 'secret'),
    adminToken: join(path, 'admin.token'),
    live: join(path, 'up.json'),
    agentsDoor: join(path, AGENTS_DOOR),
    programs: join(path, 'programs.json'),
  };
}

/** A tilde reaches us unexpanded when it was quoted. */
function absolute(path: string, env: Env, cwd: string): string {
  if (path === '~' || path.startsWith('~/')) return join(env['HOME'] || homedir(), path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path);
}

const FIRST_SETTINGS = `# Settings of this fleet. \`fleet config show\` lists all of them with what they mean;
# a running fleet takes up changes by itself.

`;

/** Makes what is missing and says what it made; never changes what is there. */
export async function initHome(paths: HomePaths): Promise<string[]> {
  const made: string[] = [];
  for (const directory of [paths.path, paths.backups, paths.executors]) if (await makeDirectory(directory)) made.push(directory);
  const written = await writeFile(paths.settings, FIRST_SETTINGS, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? false : refuse(paths.settings, error)),
  );
  if (written) made.push(paths.settings);
  if (markFormat(paths.format)) made.push(paths.format);
  return made;
}

async function makeDirectory(path: string): Promise<boolean> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => refuse(path, error));
  if (first === undefined) return false;
  await chmod(path, 0o700);
  return true;
}

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there: choose another home with FLEET_HOME, or change the owner of the directory',
  EROFS: 'the file system is read-only: choose another home with FLEET_HOME',
  ENOSPC: 'the disk is full: make room and try again',
  ENOTDIR: 'a part of the path is a file: choose another home with FLEET_HOME',
  EEXIST: 'a file is in its place: move it away or choose another home with FLEET_HOME',
};

function refuse(path: string, error: NodeJS.ErrnoException): never {
  throw new Fault('unavailable', `cannot make ${path}: ${ADVICE[error.code ?? ''] ?? error.message}`, { path }, { cause: error });
}
