import { lstat } from 'node:fs/promises';
import type { Settings } from '../../domain/settings.ts';
import type { LentFile } from '../../sandbox/lend.ts';
import { isWithin, type Mount } from '../../sandbox/profile.ts';
import { type SandboxUser, userNamed } from '../../sandbox/user.ts';

/** Whom a run in a sandbox runs as, and what of Fleet's own it is lent; without a user it is whoever Fleet is. */
export type RunAs = { readonly user?: SandboxUser; readonly lent: readonly LentFile[] } | { readonly why: string };

interface Around {
  readonly mounts: readonly Mount[];
  /** Fleet's own, below which everything can be given to others. */
  readonly home: string;
  /** Why root cannot become anybody else in a sandbox, if so. */
  readonly rootAlone?: string | undefined;
}

const AS_FLEET: RunAs = { lent: [] };

/**
 * As root everything of Fleet's own in the sandbox can be given to another user. What the person behind it owns is theirs to
 * give: a run that is to change files of root's is refused, unless the settings say that it may be root.
 */
export async function runAs(
  { sandbox_user, sandbox_as_root }: Pick<Settings, 'sandbox_user' | 'sandbox_as_root'>,
  { mounts, home, rootAlone }: Around,
  isRoot = process.getuid?.() === 0,
): Promise<RunAs> {
  if (!isRoot) return AS_FLEET;
  const refused = (why: string): RunAs =>
    sandbox_as_root ? AS_FLEET : { why: `${why}; to let it run as root in its sandbox: fleet config set sandbox_as_root=true` };
  if (rootAlone !== undefined) return refused(`Fleet runs as root, and the agent cannot be anybody else: ${rootAlone}`);
  const user = userNamed(sandbox_user);
  if ('why' in user)
    return refused(`Fleet runs as root, and there is nobody else for the agent to be: sandbox_user: ${user.why}`);
  const ours = mounts.filter(({ from }) => isWithin(from, home));
  for (const { from, as } of mounts)
    if (as === 'write' && !isWithin(from, home) && !(await belongsTo(from, user)))
      return refused(`it is to change ${from}, which does not belong to ${sandbox_user} (sandbox_user), as whom it would run`);
  return { user, lent: ours.flatMap(({ from, as }) => (as === 'device' ? [] : [{ path: from, as }])) };
}

const belongsTo = (path: string, { uid }: SandboxUser): Promise<boolean> =>
  lstat(path).then(
    (found) => found.uid === uid,
    () => false,
  );
