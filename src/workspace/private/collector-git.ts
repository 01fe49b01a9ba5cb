import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quotedPath } from './closed-environment.ts';
import type { Wish } from './wish.ts';

interface Options {
  readonly input?: Buffer | string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cwd?: string | undefined;
  /** Its output goes to whoever reads ours. */
  readonly passOn?: boolean | undefined;
}

export interface CollectorGit {
  readonly wish: Wish;
  /** With a git directory of the collector's own, over the tree. Undefined when it did not succeed; `here` says why. */
  tryHere(args: readonly string[], options?: Options): Buffer | undefined;
  /** What it complains of while it succeeds; undefined when it did not. */
  complaints(args: readonly string[], options?: Options): string | undefined;
  here(args: readonly string[], options?: Options): Buffer;
  /** The same beside another one: both only look. */
  beside(args: readonly string[]): Promise<Buffer>;
  /** With the agent's git directory: only to look where its refs stand. */
  agents(args: readonly string[], options?: Options): Buffer | undefined;
  commit(tree: string, parent: string | undefined): string;
  readonly index: string;
}

const OUTPUT_BYTES = 1024 * 1024 * 1024;

/** Who makes snapshots, and when: nobody, and at no time, so that the same files make the same commit. */
const NOBODY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'fleet'],
    [`GIT_${role}_EMAIL`, 'fleet'],
    [`GIT_${role}_DATE`, '@0 +0000'],
  ]),
);

export function collectorGit(wish: Wish): CollectorGit {
  const own = join(wish.scratch, 'git');
  const index = join(wish.scratch, 'index');
  const objects = wish.mode === 'full' ? [wish.history, join(wish.git, 'objects')] : [wish.history];
  writeOwn(own, wish, objects);
  // Knows the history and nothing of the agent's.
  writeOwn(join(wish.scratch, 'bare'), wish, [wish.history]);
  const tryHere = (args: readonly string[], options: Options = {}) => {
    const env = { GIT_DIR: own, GIT_WORK_TREE: wish.tree, GIT_INDEX_FILE: index, ...options.env };
    return run(wish, args, { ...options, env });
  };
  const here = (args: readonly string[], options: Options = {}): Buffer => {
    const ran = tryHere(args, options);
    if ('why' in ran) throw new Error(`git ${args[0]} did not succeed: ${ran.why}`);
    return ran.out;
  };
  return {
    wish,
    index,
    tryHere: (args, options) => outOf(tryHere(args, options)),
    complaints: (args, options) => {
      const ran = tryHere(args, options);
      return 'out' in ran ? ran.err : undefined;
    },
    here,
    beside: (args) => runBeside(wish, args, { GIT_DIR: own, GIT_WORK_TREE: wish.tree, GIT_INDEX_FILE: index }),
    agents: (args, options = {}) =>
      outOf(
        run(wish, args, {
          timeoutMs: wish.limits.lookMs,
          ...options,
          env: { GIT_DIR: wish.git, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(wish.history) },
        }),
      ),
    commit: (tree, parent) => {
      const parents = parent === undefined ? [] : ['-p', parent];
      return here(['commit-tree', '--no-gpg-sign', tree, ...parents, '-m', 'snapshot'], { env: NOBODY })
        .toString()
        .trim();
    },
  };
}

/** The same as Fleet writes one, without anything that has to be loaded for it. */
function writeOwn(place: string, { format, shallow }: Wish, objects: readonly string[]): void {
  for (const part of ['objects/info', 'objects/pack', 'refs/heads']) mkdirSync(join(place, part), { recursive: true });
  const version = format === 'sha1' ? 0 : 1;
  const extension = format === 'sha1' ? '' : '[extensions]\n\tobjectformat = sha256\n';
  writeFileSync(join(place, 'config'), `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n${extension}`);
  writeFileSync(join(place, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(place, 'objects/info/alternates'), objects.map((path) => `${path}\n`).join(''));
  if (shallow !== undefined) writeFileSync(join(place, 'shallow'), shallow);
}

const runBeside = (
  { env, tree, limits }: Wish,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const bounds = { timeout: limits.gitMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES, encoding: 'buffer' } as const;
    execFile('git', [...args], { ...bounds, cwd: tree, env: { ...env, ...more } }, (error, out, err) => {
      if (!error) resolve(out);
      else if (error.killed) reject(new Error(`git ${args[0]} took too long`));
      else reject(new Error(`git ${args[0]} did not succeed: ${err.toString('utf8').trim().slice(-MOST_WORDS)}`));
    });
  });

type Ran = { readonly out: Buffer; readonly err: string } | { readonly why: string };

const outOf = (ran: Ran): Buffer | undefined => ('out' in ran ? ran.out : undefined);

const MOST_WORDS = 300;

function run({ env, tree, limits }: Wish, args: readonly string[], options: Options): Ran {
  const ran = spawnSync('git', args, {
    cwd: options.cwd ?? tree,
    input: options.input,
    timeout: options.timeoutMs ?? limits.gitMs,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES,
    env: { ...env, ...options.env },
    stdio: ['pipe', options.passOn ? 'inherit' : 'pipe', 'pipe'],
  });
  if (ran.error && (ran.error as NodeJS.ErrnoException).code === 'ETIMEDOUT') throw new Error(`git ${args[0]} took too long`);
  if (ran.error && (ran.error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error('git is not to be found');
  if (ran.status === 0) return { out: ran.stdout ?? Buffer.alloc(0), err: ran.stderr?.toString('latin1', 0, MOST_WORDS) ?? '' };
  return { why: ran.stderr?.toString('utf8').trim().slice(-MOST_WORDS) ?? `it ended with ${ran.status ?? ran.signal}` };
}
