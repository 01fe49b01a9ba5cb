declare const fleets: unique symbol;

/** The parts of a place in which git works. */
export interface Parts {
  readonly gitDir: string;
  /** Objects, refs and configuration, where they are not those of the git directory. */
  readonly commonDir?: string | undefined;
  /** Only ever a tree whose attributes may be obeyed in the mode git runs in. */
  readonly workTree?: string | undefined;
  readonly index?: string | undefined;
  /** Where objects are written. */
  readonly objects?: string | undefined;
  /** Further places where objects are found. */
  readonly alternates?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/**
 * Where a git of Fleet's works. Its configuration and hooks are Fleet's own: it is a scratch git directory, or one that only
 * Fleet writes. The git directory of a user's repository is none, and cannot be passed off as one.
 */
export type GitLocation = Parts & { readonly [fleets]: true };

/** For git directories that only Fleet writes. */
export const fleetsOwn = (parts: Parts): GitLocation => parts as GitLocation;

/** How git is told. */
export const variablesOf = ({ gitDir, commonDir, workTree, index, objects, alternates }: Parts): Record<string, string> => ({
  GIT_DIR: gitDir,
  ...(commonDir === undefined ? {} : { GIT_COMMON_DIR: commonDir }),
  ...(workTree === undefined ? { GIT_IMPLICIT_WORK_TREE: '0' } : { GIT_WORK_TREE: workTree }),
  ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
  ...(objects === undefined ? {} : { GIT_OBJECT_DIRECTORY: objects }),
  ...(alternates?.length ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.map(quoted).join(':') } : {}),
});

/** Paths in the list of alternates are separated by colons unless they are quoted. */
const quoted = (path: string): string => `"${path.replaceAll(/[\\"]/g, '\\$&')}"`;

/** A repository as it was found: what its git directory holds may have been written by an agent. */
export interface LendingRepository {
  /** HEAD and index: those of one checkout. */
  readonly gitDir: string;
  /** Objects, refs and configuration, shared by all checkouts. */
  readonly commonDir: string;
}
