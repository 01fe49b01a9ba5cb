/** Landing work, merged in memory and moved by compare-and-set with the user's checkout brought along, against a bare `git merge`. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openGitHelperClient } from '../src/workspace/git/git-helper-client.ts';
import { advance } from '../src/workspace/land/advance.ts';
import { combine } from '../src/workspace/land/combine.ts';
import { measure, timed } from './measure.ts';
import { temporaryDirectory } from './temporary-home.ts';

const BRANCHES = 20;
const FILES = 10_000;
const WHO = { name: 'Ada', email: 'ada@example.invalid' };
const AT = '2026-01-02T03:04:05.000Z';

await using directory = await temporaryDirectory();
/** As the engine does. */
const client = openGitHelperClient();
const env = { ...process.env, HOME: directory.path, GIT_CONFIG_NOSYSTEM: '1' };
const git = (cwd: string, ...args: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile('git', args, { cwd, env }, (error, out, err) => (error ? reject(new Error(err)) : resolve(out.trim())));
  });

await writeFile(join(directory.path, '.gitconfig'), '[user]\n\tname = U\n\temail = u@example.invalid\n[gc]\n\tauto = 0\n');
const repo = join(directory.path, 'repo');
const tips = await repositoryWithBranches();
const first = await git(repo, 'rev-parse', 'main');

/** A tree of ten thousand files and branches that each change three of them. */
async function repositoryWithBranches(): Promise<string[]> {
  await git(directory.path, 'init', '-q', '-b', 'main', repo);
  for (let n = 0; n < FILES; n += 1) {
    const folder = join(repo, `d${n % 100}`, `e${n % 7}`);
    if (n < 700) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${n}.txt`), `line one of ${n}\nline two\n`);
  }
  await git(repo, 'add', '-A');
  await git(repo, 'commit', '-q', '-m', 'first');
  const made: string[] = [];
  for (let branch = 0; branch < BRANCHES; branch += 1) {
    await git(repo, 'checkout', '-q', '-b', `b${branch}`, 'main');
    for (let n = branch * 3; n < branch * 3 + 3; n += 1) {
      await writeFile(join(repo, `d${n % 100}`, `e${n % 7}`, `${n}.txt`), `line one of ${n}\nline two of ${branch}\n`);
    }
    await git(repo, 'commit', '-q', '-a', '-m', `work ${branch}`);
    made.push(await git(repo, 'rev-parse', 'HEAD'));
  }
  await git(repo, 'checkout', '-q', 'main');
  return made;
}

/** The clock runs only while branches are landed; each sample begins with the same tree. */
async function startOver(): Promise<void> {
  await git(repo, 'reset', '-q', '--hard', first);
  await git(repo, 'status');
}

async function bareMerges(): Promise<number> {
  await startOver();
  return timed(async () => {
    for (const tip of tips) await git(repo, 'merge', '-q', '--no-ff', '-m', `land ${tip}`, tip);
  });
}

async function landOne(onto: string, tip: string): Promise<string> {
  const made = await combine(repo, { onto, tip, message: `land ${tip}`, who: WHO, at: AT }, env);
  if (made.state !== 'merged') throw new Error(`${tip} was not merged: ${made.state}`);
  return made.commit;
}

async function move(from: string, to: string): Promise<void> {
  const moved = await advance(repo, { branch: 'main', from, to, why: 'land' }, env);
  if (moved.state !== 'moved') throw new Error(`main was not moved: ${moved.state}`);
}

async function landEach(): Promise<number> {
  await startOver();
  return timed(async () => {
    let at = first;
    for (const tip of tips) {
      const to = await landOne(at, tip);
      await move(at, to);
      at = to;
    }
  });
}

/** As a queue of batches would: what is finished is combined, and what passed lands at once. */
async function landTogether(): Promise<number> {
  await startOver();
  return timed(async () => {
    let at = first;
    for (const tip of tips) at = await landOne(at, tip);
    await move(first, at);
  });
}

const common = { floor: bareMerges, pairs: 5, warmUps: 1 };
await measure({
  ...common,
  id: 'P20',
  name: '20 branches landed one by one v bare git merge, 10,000 files',
  goal: { atMost: 1.3 },
  product: landEach,
});
await measure({ ...common, name: '20 branches landed together v bare git merge, 10,000 files', product: landTogether });
await client.close();
await rm(repo, { recursive: true, force: true });
