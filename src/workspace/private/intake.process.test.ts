import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import { objectOf, unfolding } from '../fixtures/packs.ts';
import { save } from '../save/save.ts';
import type { Site } from '../site.ts';
import { provision } from '../tree/provision.ts';
import { BOUNDS, type IntakeBounds } from './bounds.ts';
import type { CollectorClaims } from './collector-wire.ts';
import type { Means } from './confine.ts';
import { indexPack } from './intake.ts';
import { privatePlaces } from './places.ts';

const REF = 'refs/fleet/keep/1';

/** A clone, and a repository in which everything can be made that git itself would refuse to. */
interface Scene {
  readonly at: Ground;
  readonly site: Site;
  git(args: readonly string[], input?: string | Buffer, env?: Record<string, string>): string;
  /** What these reach and the base does not, as a pack. */
  pack(...tips: string[]): Buffer;
  /** A snapshot as a collector makes one. */
  snapshot(tree: string, more?: { readonly parent?: string; readonly message?: string; readonly name?: string }): string;
}

async function scene(at: Ground): Promise<Scene> {
  const site = at.site('1', 'clone');
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  const evil = join(at.root, 'evil');
  at.git(at.root, 'clone', '-q', at.repository, evil);
  const bytes = (args: readonly string[], input?: string | Buffer, env: Record<string, string> = {}): Buffer =>
    execFileSync('git', args, { cwd: evil, env: { ...at.env, ...env }, input, maxBuffer: 1 << 28 });
  const git: Scene['git'] = (args, input, env) => bytes(args, input, env).toString('utf8').trim();
  return {
    at,
    site,
    git,
    pack: (...tips) =>
      bytes(
        ['pack-objects', '--revs', '--stdout', '--thin', '-q'],
        [...tips, `^${at.start}`].map((line) => `${line}\n`).join(''),
      ),
    snapshot: (tree, { parent = at.start, message = 'snapshot', name = 'fleet' } = {}) =>
      git(['commit-tree', tree, '-p', parent, '-m', message], '', {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: 'fleet',
        GIT_AUTHOR_DATE: '@0 +0000',
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: 'fleet',
        GIT_COMMITTER_DATE: '@0 +0000',
      }),
  };
}

const treeOf = ({ git }: Scene, name: string, text: string): string =>
  git(['mktree'], `100644 blob ${git(['hash-object', '-w', '--stdin'], text)}\t${name}\n`);

const said = (more: Partial<CollectorClaims>): Partial<CollectorClaims> => ({
  also: [],
  refsLeft: 0,
  conflicts: false,
  left: [],
  ...more,
});

/** A collector that somebody else has written: it says this and hands over that. */
function lying({ at }: Scene, pack: Buffer, words: unknown, patienceMs = 60_000): Means {
  const [packFile, wordsFile] = [join(at.root, 'pack'), join(at.root, 'words')];
  writeFileSync(packFile, pack);
  writeFileSync(wordsFile, typeof words === 'string' ? words : JSON.stringify(words));
  const script = 'cat "$1"; cat "$2" >&3';
  return {
    patienceMs,
    confine: async () =>
      spawn('/bin/sh', ['-c', script, 'collector', packFile, wordsFile], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }),
  };
}

const handIn = ({ at, site }: Scene, means: Means) => save(site, { ref: REF, message: 'kept', who, means }, at.env);

/** Everything that could have been changed by what was refused. */
function stateOf({ at, site }: Scene): unknown {
  const { store, history } = privatePlaces(site);
  const packs = [history, join(store, 'objects'), join(at.repository, '.git/objects')].map((place) =>
    readdirSync(join(place, 'pack')).sort(),
  );
  return [
    packs,
    readdirSync(`${site.path}.fleet`).sort(),
    readdirSync(store).sort(),
    at.git(at.repository, 'for-each-ref'),
    at.git(at.repository, 'count-objects'),
  ];
}

it('takes in what is sound, and makes a commit of its own from it', async () => {
  using at = ground();
  const stage = await scene(at);
  const snap = stage.snapshot(treeOf(stage, 'work.txt', 'work\n'));
  const { commit, unread } = await handIn(stage, lying(stage, stage.pack(snap), said({ snap, head: at.start })));
  expect([unread, at.git(at.repository, 'show', `${commit}:work.txt`)]).toEqual([undefined, 'work']);
  expect(at.git(at.repository, 'log', '-1', '--format=%an %s', REF)).toBe('Ada kept');
});

/** A few bytes that ask for a terabyte. */
const bomb = (): Buffer =>
  Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'), objectOf(2, 1n << 40n, Buffer.from('x')), Buffer.alloc(20)]);

type Lie = readonly [
  name: string,
  make: (stage: Scene) => { pack: Buffer; words: unknown; bounds?: Partial<IntakeBounds> },
  why: RegExp,
];

it('a pack of 200 bytes that asks for 2.6 GB gets the memory of the limit and no more', async () => {
  using at = ground();
  const stage = await scene(at);
  const pack = unfolding();
  expect(pack.length).toBeLessThan(200);
  const before = stateOf(stage);
  await expect(handIn(stage, lying(stage, pack, honest(stage).words))).rejects.toThrow(/not sound.*memory/i);
  expect(stateOf(stage)).toEqual(before);
  // It is sound, and would be taken by a git that has more: in a place of its own nothing else is wrong with it.
  const objects = join(at.root, 'large');
  mkdirSync(join(objects, 'pack'), { recursive: true });
  const bounds = { ...BOUNDS, memoryBytes: 8 * 1024 ** 3 };
  const quarantine = { places: privatePlaces(stage.site), objects, env: at.env, bounds };
  await indexPack(quarantine, Readable.from([pack]), AbortSignal.timeout(300_000));
  expect(readdirSync(join(objects, 'pack')).filter((name) => name.endsWith('.idx'))).toHaveLength(1);
});

const honest = (stage: Scene) => {
  const snap = stage.snapshot(treeOf(stage, 'work.txt', 'work\n'));
  return { snap, pack: stage.pack(snap), words: said({ snap, head: stage.at.start }) };
};

const withTree = (stage: Scene, tree: string) => {
  const snap = stage.snapshot(tree);
  return { pack: stage.pack(snap), words: said({ snap, head: stage.at.start }) };
};

/** A file in a tree so many times, that in another so many times, and so on. */
function nested(stage: Scene, text: string, width: number, levels: number): string {
  const names = Array.from({ length: width }, (_, n) => String(n).padStart(3, '0'));
  let id = stage.git(['hash-object', '-w', '--stdin'], text);
  for (let level = 0; level < levels; level += 1) {
    const kind = level === 0 ? '100644 blob' : '040000 tree';
    id = stage.git(['mktree'], names.map((name) => `${kind} ${id}\t${name}\n`).join(''));
  }
  return id;
}

const literal = (stage: Scene, name: string): string => {
  const blob = stage.git(['hash-object', '-w', '--stdin'], 'x');
  const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
  return stage.git(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], entry);
};

const LIES: readonly Lie[] = [
  ['half a pack', (stage) => ({ ...honest(stage), pack: honest(stage).pack.subarray(0, -30) }), /not sound/],
  ['no pack', (stage) => ({ ...honest(stage), pack: Buffer.alloc(0) }), /not sound/],
  ['a pack that asks for a terabyte', (stage) => ({ ...honest(stage), pack: bomb() }), /not sound/],
  ['a tree with .git in it', (stage) => withTree(stage, literal(stage, '.GIT')), /not sound.*(hasDotgit|\.git)/i],
  ['a tree with .. in it', (stage) => withTree(stage, literal(stage, '..')), /not sound.*(hasDotdot|'\.\.')/i],
  [
    'a snapshot that is not in the pack',
    (stage) => ({ ...honest(stage), words: said({ snap: '1'.repeat(40) }) }),
    /was not taken/,
  ],
  [
    'a commit of the project that the clone cannot see',
    (stage) => ({ ...honest(stage), words: { ...honest(stage).words, head: unseen(stage) } }),
    /was not taken/,
  ],
  [
    'a branch that is a file',
    (stage) => {
      const { snap, words } = honest(stage);
      return { pack: stage.pack(snap), words: { ...words, branch: stage.git(['rev-parse', `${snap}:work.txt`]) } };
    },
    /no commit/,
  ],
  [
    'a snapshot that a collector does not make',
    (stage) => {
      const snap = stage.snapshot(treeOf(stage, 'work.txt', 'work\n'), { message: 'something else' });
      return { pack: stage.pack(snap), words: said({ snap, head: stage.at.start }) };
    },
    /none that a collector makes/,
  ],
  [
    'a snapshot that stands elsewhere than it says',
    (stage) => {
      const own = stage.snapshot(treeOf(stage, 'own.txt', 'own\n'), { message: 'own' });
      const snap = stage.snapshot(treeOf(stage, 'work.txt', 'work\n'), { parent: own });
      return { pack: stage.pack(snap), words: said({ snap, head: stage.at.start }) };
    },
    /none that a collector makes/,
  ],
  ['words without sense', (stage) => ({ ...honest(stage), words: 'snap: yes' }), /makes sense/],
  ['other words than it may say', (stage) => ({ ...honest(stage), words: { ...honest(stage).words, left: [1] } }), /makes sense/],
  [
    'more refs than are taken',
    (stage) => {
      const { snap, pack, words } = honest(stage);
      return { pack, words: { ...words, also: Array.from({ length: 101 }, (_, n) => [`refs/heads/${n}`, snap]) } };
    },
    /makes sense/,
  ],
  [
    'a name that is longer than any',
    (stage) => ({ ...honest(stage), words: { ...honest(stage).words, underWay: 'x'.repeat(LIMITS.nameBytes.value + 1) } }),
    /makes sense/,
  ],
  [
    'more names of files than are told',
    (stage) => ({ ...honest(stage), words: { ...honest(stage).words, left: Array.from({ length: 1_002 }, () => 'x') } }),
    /makes sense/,
  ],
  ['a count that is none', (stage) => ({ ...honest(stage), words: { ...honest(stage).words, refsLeft: -1 } }), /makes sense/],
  [
    'a few trees that unfold into more files than are taken',
    (stage) => ({ ...withTree(stage, nested(stage, 'x', 20, 3)), bounds: { files: 7_999 } }),
    /more than 7999 files/,
  ],
  [
    'a few trees that unfold into more than memory holds',
    (stage) => ({ ...withTree(stage, nested(stage, 'x', 100, 12)), bounds: { memoryBytes: 256 * 1024 ** 2 } }),
    /cannot be counted/,
  ],
  [
    'a file that is there so often that no disk holds it',
    (stage) => withTree(stage, nested(stage, 'x'.repeat(1024 ** 2), 20, 3)),
    /more than 4294967296 bytes/,
  ],
  ['words without end', (stage) => ({ ...honest(stage), words: 'x'.repeat(9 * 1024 * 1024) }), /cannot be taken/],
];

/** Known to the project and not to the clone. */
function unseen({ at, git }: Scene): string {
  const id = git(['commit-tree', `${at.start}^{tree}`, '-m', 'private']);
  at.git(at.repository, 'fetch', '-q', join(at.root, 'evil'), `${id}:refs/heads/private`);
  return id;
}

it.each(LIES)('refuses %s, and is as it was before', async (_, make, why) => {
  using at = ground();
  at.git(at.repository, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const stage = await scene(at);
  stage.git(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
  const { pack, words, bounds } = make(stage);
  const before = stateOf(stage);
  await expect(handIn(stage, { ...lying(stage, pack, words), bounds })).rejects.toThrow(why);
  expect(stateOf(stage)).toEqual(before);
});

it('takes a few trees that unfold into as many files as may be', async () => {
  using at = ground();
  const stage = await scene(at);
  const { pack, words } = withTree(stage, nested(stage, 'x', 20, 3));
  // The two files of its base are gone.
  expect(await handIn(stage, { ...lying(stage, pack, words), bounds: { files: 8_002 } })).toMatchObject({ left: [] });
});

it('refuses a pack that is larger than may be', async () => {
  using at = ground();
  const stage = await scene(at);
  const { pack, words } = honest(stage);
  const sized = (packBytes: number): Means => ({ ...lying(stage, pack, words), bounds: { packBytes } });
  await expect(handIn(stage, sized(pack.length - 1))).rejects.toThrow(/not sound.*maximum/);
  expect(await handIn(stage, sized(pack.length))).toMatchObject({ left: [] });
});

it('ends a collector that never ends, and what it has started', async () => {
  using at = ground();
  const stage = await scene(at);
  const pids: (number | undefined)[] = [];
  const confine: Means['confine'] = async () => {
    const child = spawn('/bin/sh', ['-c', 'exec sleep 600'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    pids.push(child.pid);
    return child;
  };
  const before = stateOf(stage);
  await expect(handIn(stage, { confine, patienceMs: 300 })).rejects.toThrow(/took too long/);
  expect(stateOf(stage)).toEqual(before);
  expect(pids).toHaveLength(2);
  for (const pid of pids) expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
});
