import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io } from '../../surfaces/cli/deps.ts';
import { NOBODYS_CONFIGURATION } from '../../workspace/git/environment.ts';
import { answered, git as runGit } from '../../workspace/git/git.ts';
import { fleetsOwn } from '../../workspace/git/location.ts';
import { MEANWHILE, PARTS, PROJECT } from './script.ts';

/** A place of its own: a home, a repository, what the agents play, and an environment in which nothing of the user's has a say. */
export interface Scratch {
  readonly directory: string;
  readonly repository: string;
  /** As the caller's, but in this home. */
  readonly io: Io;
  scenario(name: string): string;
}

export async function makeScratch(io: Io): Promise<Scratch> {
  const directory = await realpath(await mkdtemp(join(io.env['TMPDIR'] || tmpdir(), 'fleet-demo-')));
  const repository = join(directory, 'tempo');
  const scenario = (name: string) => join(directory, 'scenarios', `${name}.txt`);
  const scratch = { directory, repository, io: { ...io, env: ownEnvironment(io.env, directory) }, scenario };
  await Promise.all([
    ...Object.entries(PROJECT).map(([path, text]) => put(join(repository, path), text)),
    ...PARTS.map((part) => put(scenario(part.name), part.scenario)),
  ]);
  await git(scratch, 'init', '--quiet', '--initial-branch=main');
  await git(scratch, 'config', 'user.name', 'you');
  await git(scratch, 'config', 'user.email', 'you@example.invalid');
  await commit(scratch, 'begin tempo');
  return scratch;
}

/** A person goes on with other things while agents work. */
export async function workMeanwhile(scratch: Scratch): Promise<string> {
  await put(join(scratch.repository, MEANWHILE.file), MEANWHILE.text);
  await commit(scratch, MEANWHILE.message);
  return git(scratch, 'rev-parse', '--short=7', 'HEAD');
}

export async function git({ repository, io }: Pick<Scratch, 'repository' | 'io'>, ...args: readonly string[]): Promise<string> {
  const place = fleetsOwn({ gitDir: join(repository, '.git'), workTree: repository });
  const end = await runGit(place, args, io.env as NodeJS.ProcessEnv, { mode: 'closed' });
  return answered(end, `run ${args[0] ?? ''}`)
    .toString('utf8')
    .trimEnd();
}

async function commit(scratch: Scratch, message: string): Promise<void> {
  await git(scratch, 'add', '--all');
  await git(scratch, 'commit', '--quiet', '--message', message);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Neither the settings of another fleet nor the user's git (signatures, hooks, templates) belong here. */
export const ownEnvironment = (env: Io['env'], home: string): Io['env'] => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !/^(FLEET_(?!TEST_)|GIT_)/.test(name))),
  FLEET_HOME: home,
  ...NOBODYS_CONFIGURATION,
});
