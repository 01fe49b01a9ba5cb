import type { IntakeBounds } from './bounds.ts';

/** What a collector is told. Every path is the same inside and outside of its sandbox. */
export interface CollectorRequest {
  /** `full`: files and commits. `files`: nothing of the agent's git directory is looked at. */
  readonly mode: 'full' | 'files';
  readonly tree: string;
  /** The agent's git directory, as it is found in the tree. */
  readonly git: string;
  /** Objects of Fleet's that both sides know. */
  readonly history: string;
  /** The index of Fleet's own checkout, and the commit it is of. */
  readonly index: string;
  readonly base: string;
  /** In the place of the agent's last commit where that is not asked for. */
  readonly parent: string;
  /** Commits that need not be handed over: Fleet has them. */
  readonly known: readonly string[];
  readonly branch?: string | undefined;
  readonly format: 'sha1' | 'sha256';
  readonly shallow?: string | undefined;
  /** The only directory it may write. */
  readonly scratch: string;
  /** Submodules that hold something new are taken as files: their commits are nowhere else. */
  readonly flat: boolean;
  /** The environment of its gits, all of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: CollectorLimits;
}

export interface CollectorLimits extends Pick<IntakeBounds, 'fileBytes' | 'allBytes' | 'refs'> {
  /** Of the names of files that are not taken: the first, and how many there are besides. */
  readonly left: number;
  readonly nameBytes: number;
  /** One look at the agent's git directory, and any other call of git. */
  readonly lookMs: number;
  readonly gitMs: number;
}

/** What a collector says on its third descriptor: claims, until what they name was found in the pack. */
export interface CollectorClaims {
  readonly snap: string;
  /** The agent's last commit; absent on a branch without one, and where only files were taken. */
  readonly head?: string | undefined;
  /** Which ref is checked out; absent for none. */
  readonly headRef?: string | undefined;
  /** The branch of the task. */
  readonly branch?: string | undefined;
  /** Other branches, tags and the stash: names as text, and what they stand for. */
  readonly also: readonly (readonly [name: string, id: string])[];
  /** Refs that are too many to be taken. */
  readonly refsLeft: number;
  readonly conflicts: boolean;
  readonly underWay?: string | undefined;
  /** Files that are not taken. */
  readonly left: readonly string[];
}
