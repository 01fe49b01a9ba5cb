import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Parts } from '../git/location.ts';
import type { CollectorGit } from './collector-git.ts';
import type { CollectorClaims } from './collector-wire.ts';

const UNDER_WAY: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge is under way',
  CHERRY_PICK_HEAD: 'a cherry-pick is under way',
  REVERT_HEAD: 'a revert is under way',
  'rebase-merge': 'a rebase is under way',
  'rebase-apply': 'a rebase is under way',
};

type Refs = Pick<CollectorClaims, 'head' | 'headRef' | 'branch' | 'also' | 'refsLeft' | 'underWay'>;

/** Where the agent's refs stand. Throws where its git directory cannot be read: then only the files are taken. */
export function refsOf(git: CollectorGit): Refs {
  const { wish } = git;
  if (wish.mode === 'files') return { also: [], refsLeft: 0 };
  const listed = listedRefs(git);
  const own = wish.branch === undefined ? undefined : `refs/heads/${wish.branch}`;
  const current = listed.find(({ isHead }) => isHead);
  const { head, headRef } = current ? { head: current.id, headRef: current.name } : lookedUp(git);
  const underWay = Object.entries(UNDER_WAY).find(([name]) => isThere(join(wish.git, name)))?.[1];
  const others = listed.filter(({ name, id }) => name !== own && !wish.known.includes(id));
  return { head, headRef, branch: listed.find(({ name }) => name === own)?.id, underWay, ...otherRefs(git, others) };
}

interface Listed {
  readonly name: string;
  readonly id: string;
  readonly isHead: boolean;
}

/** By one question, as long as a branch with a commit is checked out. */
function listedRefs(git: CollectorGit): readonly Listed[] {
  const format = '--format=%(HEAD)%(objectname) %(refname)';
  const out = git.agents(['for-each-ref', format, 'refs/heads', 'refs/tags', 'refs/stash']);
  return (out ?? Buffer.alloc(0))
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, mark, id = '', name = ''] = /^([* ])([0-9a-f]+) (.+)$/.exec(line) ?? [];
      return name === '' ? [] : [{ name, id, isHead: mark === '*' }];
    });
}

/** No branch is checked out, one without a commit, or nothing that can be read. */
function lookedUp(git: CollectorGit): Pick<Refs, 'head' | 'headRef'> {
  const headRef = lineOf(git.agents(['symbolic-ref', '--quiet', 'HEAD']));
  const head = lineOf(git.agents(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']));
  const isUnborn = head === undefined && headRef !== undefined && !isThere(join(git.wish.git, headRef));
  if (head === undefined && !isUnborn) throw new Error('the last commit of the agent cannot be read');
  return { head, headRef };
}

/** For each that is taken so many are looked at; the others are only counted. */
const MOST_LOOKED = 1_000;

/** What else the agent has made in its repository. */
function otherRefs(git: CollectorGit, refs: readonly Listed[]): Pick<Refs, 'also' | 'refsLeft'> {
  const { limits } = git.wish;
  const looked = refs.slice(0, limits.refs * MOST_LOOKED);
  const isShort = ({ name }: Listed): boolean => Buffer.byteLength(name) <= limits.nameBytes;
  const sound = soundRefs(
    git,
    looked.filter(isShort).map(({ name, id }): [string, string] => [name, id]),
  );
  const taken = sound.slice(0, limits.refs);
  const long = looked.length - looked.filter(isShort).length;
  return { also: taken, refsLeft: refs.length - looked.length + long + sound.length - taken.length };
}

/** Those whose objects are there, without tags that the history has: they are the project's own, or were taken before. */
function soundRefs(git: CollectorGit, refs: readonly [string, string][]): [string, string][] {
  if (refs.length === 0) return [];
  const input = refs.map(([, id]) => `${id}\n`).join('');
  const typesIn = (at: Partial<Parts> = {}): string[] =>
    git.here(['cat-file', '--batch-check=%(objecttype)'], { input, at }).toString('utf8').split('\n');
  const isSound = (type: string | undefined): boolean => type === 'commit' || type === 'tag';
  const types = typesIn();
  const isTagged = refs.some(([name]) => name.startsWith('refs/tags/'));
  const had = isTagged ? typesIn({ gitDir: join(git.wish.scratch, 'bare') }) : [];
  return refs.filter(([name], n) => isSound(types[n]) && !(name.startsWith('refs/tags/') && isSound(had[n])));
}

const lineOf = (out: Buffer | undefined): string | undefined => out?.toString('utf8').trim() || undefined;

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
