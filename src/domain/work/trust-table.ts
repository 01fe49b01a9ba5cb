import type { TrustLevel } from './trust.ts';

/** The meaning of a trust level, as `fleet task show`, SECURITY.md and the guide word it. */
export interface TrustMeaning {
  readonly name: string;
  /** One line, for a page about something else. */
  readonly summary: string;
  readonly asked: string;
  readonly works: string;
  readonly reads: string;
  readonly writes: string;
  readonly reaches: string;
  readonly chores: string;
  readonly reuses: string;
  readonly gives: string;
}

export const TRUST: Readonly<Record<TrustLevel, TrustMeaning>> = {
  own: {
    name: 'own',
    summary: 'trusted like your own shell',
    asked: 'by default',
    works: 'in a worktree of the project, or in place',
    reads: 'whatever you can read',
    writes: 'whatever you can write, the git directory of the project included',
    reaches: 'the whole network, and every program and socket that you can reach',
    chores: 'run as you, on a clean checkout; in place where the work is in place',
    reuses: 'what set-up made for tasks of the same level',
    gives: 'its branch and its uncommitted files, read by git in its worktree',
  },
  apart: {
    name: 'kept apart',
    summary: 'reaches what you reach, and works in a private clone',
    asked: '`--isolation clone`',
    works: 'in a private clone',
    reads: 'whatever you can read',
    writes: 'whatever you can write; its own git directory is not that of the project',
    reaches: 'the whole network, and every program and socket that you can reach',
    chores: 'run as you, on a clean checkout in a private clone',
    reuses: 'what set-up made for tasks of the same level',
    gives: 'files and commits, as one pack that is checked before it enters the project',
  },
  sandboxed: {
    name: 'sandboxed',
    summary: 'reaches what it was given, in a private clone, and nothing else',
    asked: '`--sandbox`',
    works: 'in a private clone, or in place in a plain directory that no repository holds and no hard link leads out of',
    reads:
      'its tree with the files its project copies there (`--copy-file`), its own git directory, the history its base reaches, the programs of the system, its log-in, and what `sandbox_read` names',
    writes: "its tree, its own git directory, a home and notes of the task's own, and what `sandbox_write` names",
    reaches: 'the hosts in `sandbox_hosts`, and Fleet with the token of its run',
    chores: 'run in a sandbox, on a clean checkout whose git directory they cannot write',
    reuses: 'what set-up made for tasks of the same level',
    gives: 'files and commits, as one pack that is made in a sandbox and checked before it enters the project',
  },
};

/** The label of each field of a meaning, in the order of the table. */
export const TRUST_QUESTIONS: readonly (readonly [keyof TrustMeaning, string])[] = [
  ['asked', 'chosen'],
  ['works', 'works'],
  ['reads', 'can read'],
  ['writes', 'can write'],
  ['reaches', 'can reach'],
  ['chores', 'its set-up and gate'],
  ['reuses', 'may reuse'],
  ['gives', 'Fleet takes from it'],
];
