import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signedBy } from '../git/environment.ts';
import { gitBeside, gitInSandbox, type SandboxedCall } from '../git/git-in-sandbox.ts';
import type { Parts } from '../git/location.ts';
import type { CollectorRequest } from './collector-wire.ts';

type Options = Partial<Pick<SandboxedCall, 'input' | 'variables' | 'timeoutMs' | 'passOn'>> & {
  /** Where it works, as far as that is elsewhere. */
  readonly at?: Partial<Parts> | undefined;
};

export interface CollectorGit {
  readonly wish: CollectorRequest;
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

/** Who makes snapshots, and when: nobody, and at no time, so that the same files make the same commit. */
const NOBODY = signedBy({ name: 'fleet', email: 'fleet' }, '@0 +0000');

export function collectorGit(wish: CollectorRequest): CollectorGit {
  const own = join(wish.scratch, 'git');
  const index = join(wish.scratch, 'index');
  const objects = wish.mode === 'full' ? [wish.history, join(wish.git, 'objects')] : [wish.history];
  writeOwn(own, wish, objects);
  // Knows the history and nothing of the agent's.
  writeOwn(join(wish.scratch, 'bare'), wish, [wish.history]);
  const callOf = ({ at, timeoutMs = wish.limits.gitMs, ...more }: Options): SandboxedCall => {
    const place = { gitDir: own, workTree: wish.tree, index, cwd: wish.tree, ...at };
    return { ...more, at: place, env: wish.env, timeoutMs };
  };
  const tryHere = (args: readonly string[], options: Options = {}) => {
    const ran = gitInSandbox(args, callOf(options));
    return 'out' in ran ? ran.out : undefined;
  };
  const here = (args: readonly string[], options: Options = {}): Buffer => {
    const ran = gitInSandbox(args, callOf(options));
    if ('why' in ran) throw new Error(`git ${args[0]} did not succeed: ${ran.why}`);
    return ran.out;
  };
  const agents = { gitDir: wish.git, workTree: undefined, index: undefined, alternates: [wish.history] };
  return {
    wish,
    index,
    tryHere,
    complaints: (args, options = {}) => {
      const ran = gitInSandbox(args, callOf(options));
      return 'out' in ran ? ran.err : undefined;
    },
    here,
    beside: (args) => gitBeside(args, callOf({})),
    agents: (args, options) => tryHere(args, { timeoutMs: wish.limits.lookMs, ...options, at: agents }),
    commit: (tree, parent) => {
      const parents = parent === undefined ? [] : ['-p', parent];
      return here(['commit-tree', '--no-gpg-sign', tree, ...parents, '-m', 'snapshot'], { variables: NOBODY })
        .toString()
        .trim();
    },
  };
}

/** The same as Fleet writes one, without anything that has to be loaded for it. */
function writeOwn(place: string, { format, shallow }: CollectorRequest, objects: readonly string[]): void {
  for (const part of ['objects/info', 'objects/pack', 'refs/heads']) mkdirSync(join(place, part), { recursive: true });
  const version = format === 'sha1' ? 0 : 1;
  const extension = format === 'sha1' ? '' : '[extensions]\n\tobjectformat = sha256\n';
  writeFileSync(join(place, 'config'), `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n${extension}`);
  writeFileSync(join(place, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(place, 'objects/info/alternates'), objects.map((path) => `${path}\n`).join(''));
  if (shallow !== undefined) writeFileSync(join(place, 'shallow'), shallow);
}
