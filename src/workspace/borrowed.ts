import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { identityOf, ownIdentity } from '../platform/process-identity.ts';
import { type GitDirectory, gitDirectory } from './git-directory.ts';
import { type GitRun, type Ran, rawGit } from './raw-git.ts';
import { type Setting, settingsText } from './settings.ts';

/**
 * A git directory of our own that borrows the objects of a repository and nothing else: not its settings, hooks,
 * attributes, replacements or refs. Whatever an agent has written there, git run in a stand-in does not read it, so
 * there is nothing to disarm and nothing to miss.
 */
export interface Borrowed extends AsyncDisposable {
  readonly path: string;
  run(args: readonly string[], more?: More): Promise<Ran>;
}

type More = Pick<GitRun, 'input' | 'timeoutMs' | 'maxBytes'> & { readonly workTree?: string | undefined };

export interface Loan {
  readonly settings?: readonly Pick<Setting, 'key' | 'value'>[] | undefined;
  /** The commit that is checked out. */
  readonly head?: string | undefined;
  /** Refs are there to be read: a fetch knows then what we have. */
  readonly withRefs?: boolean | undefined;
  /** How files lie on disk is taken from the checkout, beside its settings. */
  readonly withLayout?: boolean | undefined;
}

const PREFIX = 'fleet-git-';
const NOTHING = 'refs/heads/nothing';

export async function borrow(repository: string, loan: Loan, env: NodeJS.ProcessEnv): Promise<Borrowed> {
  return borrowFrom(await gitDirectory(repository), loan, env);
}

export async function borrowFrom(directory: GitDirectory, loan: Loan, env: NodeJS.ProcessEnv): Promise<Borrowed> {
  const place = env['TMPDIR'] || tmpdir();
  await sweep(place);
  const path = mkdtempSync(join(place, `${PREFIX}${process.pid}-${(await ownIdentity()).started}-`));
  furnish(path, directory, loan);
  const quiet = quietEnvironment(env);
  return {
    path,
    run: (args, { workTree, ...more } = {}) => {
      const tree = workTree === undefined ? [] : [`--work-tree=${workTree}`];
      return rawGit([`--git-dir=${path}`, ...tree, ...args], { cwd: workTree ?? path, env: quiet, ...more });
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

function furnish(path: string, directory: GitDirectory, loan: Loan): void {
  const { settings = [], head, withRefs = false, withLayout = false } = loan;
  const { common } = directory;
  const format = objectFormat(common);
  const extension = format === undefined ? [] : [{ key: 'extensions.objectformat', value: format }];
  const version = { key: 'core.repositoryformatversion', value: format === undefined ? '0' : '1' };
  writeFileSync(join(path, 'config'), settingsText([version, ...extension, ...QUIET, ...settings]));
  writeFileSync(join(path, 'HEAD'), head === undefined ? `ref: ${NOTHING}\n` : `${head}\n`);
  symlinkSync(join(common, 'objects'), join(path, 'objects'));
  if (withRefs) symlinkSync(join(common, 'refs'), join(path, 'refs'));
  else mkdirSync(join(path, 'refs', 'heads'), { recursive: true });
  if (withRefs) copyIfThere(join(common, 'packed-refs'), join(path, 'packed-refs'));
  copyIfThere(join(common, 'shallow'), join(path, 'shallow'));
  if (withLayout) borrowLayout(path, directory);
}

const QUIET = [
  { key: 'core.hookspath', value: '/dev/null' },
  { key: 'core.logallrefupdates', value: 'false' },
  { key: 'gc.auto', value: '0' },
  { key: 'maintenance.auto', value: 'false' },
  { key: 'checkout.workers', value: '1' },
];

/** What a checkout says of its files beside the settings. An attribute alone runs nothing. */
function borrowLayout(path: string, { own, common }: GitDirectory): void {
  mkdirSync(join(path, 'info'));
  copyIfThere(join(own, 'info', 'sparse-checkout'), join(path, 'info', 'sparse-checkout'));
  copyIfThere(join(common, 'info', 'attributes'), join(path, 'info', 'attributes'));
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}

/** Read as text: which hash a repository uses must be known before git can be asked anything of its objects. */
function objectFormat(common: string): string | undefined {
  try {
    return /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im.test(readFileSync(join(common, 'config'), 'utf8')) ? 'sha256' : undefined;
  } catch {
    return undefined;
  }
}

const quietEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
});

const swept = new Set<string>();

/** Stand-ins of processes that died in the middle; looked for once in the life of each process. */
async function sweep(place: string): Promise<void> {
  if (swept.has(place)) return;
  swept.add(place);
  for (const name of await readdir(place)) {
    const [, pid, started] = /^fleet-git-(\d+)-(\w+)-/.exec(name) ?? [];
    if (pid === undefined || (await identityOf(Number(pid)))?.started === started) continue;
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Throws what git said, for commands that fail only when something is broken or missing. */
export function answered(ran: Ran, what: string): Buffer {
  if (ran.late) throw new Fault('unavailable', `git took too long to ${what}`);
  if (ran.cut) throw new Fault('limit', `git says more than is kept in memory to ${what}`);
  if (ran.code === 0) return ran.out;
  const words = ran.err.split('\n').slice(0, 3).join('; ').slice(0, 500);
  throw new Fault(/No space left/.test(ran.err) ? 'unavailable' : 'not_found', `git could not ${what}: ${words}`);
}
