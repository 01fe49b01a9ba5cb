import { type ChildProcess, spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { survivors } from '../../src/runner/process-table.ts';
import { root } from '../../tools/paths.mjs';

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  json<Shape = Record<string, unknown>>(): Shape;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Record<string, string>;
}

/** An ordinary user, for whom root runs everything of a house. */
export interface Person {
  readonly uid: number;
  readonly gid: number;
}

/** The built program with a home and a HOME of its own; everything it started is gone when the house is. */
export interface CliHouse extends AsyncDisposable {
  readonly directory: string;
  readonly home: string;
  readonly env: Record<string, string>;
  fleet(args: readonly string[], options?: CliOptions): Promise<Answer>;
  /** Fails unless the command succeeds. */
  ok(args: readonly string[], options?: CliOptions): Promise<Answer>;
  /** Another program of ours, in the same surroundings. */
  node(args: readonly string[]): Promise<Answer>;
  start(args: readonly string[], more?: Record<string, string>): ChildProcess;
  /** A repository with one commit. */
  repository(name?: string): Promise<string>;
  git(directory: string, ...args: string[]): Promise<Answer>;
  /** Makes a path belong to whoever the house is run as. */
  give(path: string): Promise<void>;
}

const PROGRAM = join(root, 'dist', 'fleet.mjs');

/** `at`: where its home is, if not beside everything else of it. `as`: who runs it, if not whoever runs the tests. */
export async function cliHouse(at?: string, as?: Person): Promise<CliHouse> {
  const directory = await mkdtemp(join(tmpdir(), 'fleet e2e '));
  const home = at ?? join(directory, 'fleet home');
  const userHome = join(directory, 'user');
  await mkdir(userHome);
  const give = async (path: string) => {
    if (as) await chown(path, as.uid, as.gid);
  };
  await Promise.all([directory, userHome].map(give));
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: userHome,
    FLEET_HOME: home,
    // Any that is free: several engines of several tests run at once.
    FLEET_PORT: '0',
    FLEET_SCRIPTED: 'true',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    FLEET_TEST_MARK: process.env['FLEET_TEST_MARK'] ?? '',
    GIT_AUTHOR_NAME: 'T',
    GIT_AUTHOR_EMAIL: 't@example.invalid',
    GIT_COMMITTER_NAME: 'T',
    GIT_COMMITTER_EMAIL: 't@example.invalid',
  };
  const started: ChildProcess[] = [];
  const fleet = (args: readonly string[], options: CliOptions = {}) =>
    run(process.execPath, [PROGRAM, ...args], { cwd: directory, ...options, env: { ...env, ...options.env }, as });
  const git = (where: string, ...args: string[]) => run('git', args, { cwd: where, env, as });
  return {
    directory,
    home,
    env,
    fleet,
    git,
    give,
    ok: async (args, options) => {
      const answer = await fleet(args, options);
      if (answer.code !== 0) throw new Error(`fleet ${args.join(' ')} ended with ${answer.code}: ${answer.err}`);
      return answer;
    },
    node: (args) => run(process.execPath, args, { cwd: directory, env, as }),
    start: (args, more = {}) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: directory,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...as,
      });
      started.push(child);
      return child;
    },
    repository: async (name = 'repo') => {
      const path = join(directory, name);
      await mkdir(path, { recursive: true });
      await give(path);
      await git(path, 'init', '-q', '-b', 'main');
      await writeFile(join(path, 'README'), 'hello\n');
      await git(path, 'add', '.');
      await git(path, 'commit', '-q', '-m', 'first');
      return path;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map(ended));
      const left = await endAgents(home);
      await rm(directory, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`processes were left behind: ${left.join(', ')}`);
    },
  };
}

/** Agents outlive engines on purpose, so a test that fails in the middle leaves them; one that passes must not. */
async function endAgents(home: string): Promise<string[]> {
  const mark = (await readFile(join(home, 'mark'), 'utf8').catch(() => '')).trim();
  if (mark === '') return [];
  const left = await survivors(mark);
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  return left.map(({ pid, runId }) => `${pid} of ${runId}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
}

function run(
  command: string,
  args: readonly string[],
  { cwd, env, input, as }: CliOptions & { env: Record<string, string>; as?: Person | undefined },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ...as });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    // A program that ends without reading its input is no error of the test.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? (signal ? 128 : -1), out, err, json: () => JSON.parse(out) }));
  });
}
