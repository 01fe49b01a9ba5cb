import { join } from 'node:path';
import { trustOf } from '../../domain/work/trust.ts';
import { type Site, sidecarDir } from '../site.ts';

/**
 * Where the parts of a private clone lie. All follow from the record of the site, so that nothing an agent writes decides
 * what is mounted, run or removed.
 */
export interface PrivatePlaces {
  readonly tree: string;
  /** The agent's git directory. Fleet makes and removes it, and never reads it outside of a sandbox. */
  readonly agentGit: string;
  /** Where the agent finds it. In a sandbox it is mounted there; on the host an empty directory is. */
  readonly dotGit: string;
  /** A git directory of Fleet's own: the commits that were checked out and taken in. */
  readonly store: string;
  /** The objects its base reaches, and no others of the project. Both git directories borrow from it. */
  readonly history: string;
  /** Patterns of ignored files that are not in the tree: the user's own, and those of the project's git directory. */
  readonly excludes: string;
}

export function privatePlaces(site: Pick<Site, 'path' | 'isolation' | 'trust'>): PrivatePlaces {
  const [own, dotGit] = [sidecarDir(site.path), join(site.path, '.git')];
  return {
    tree: site.path,
    agentGit: (site.trust ?? trustOf(site)) === 'sandboxed' ? join(own, 'agent-git') : dotGit,
    dotGit,
    store: join(own, 'store'),
    history: join(own, 'history'),
    excludes: join(own, 'excludes'),
  };
}

/** What a sandbox shows of a private clone. Sources lie where only Fleet writes, or are the agent's own as a whole. */
export interface PrivateMounts {
  /** Written by the agent, at the same path inside. */
  readonly tree: string;
  /** Mounted at `at`: written by the agent, read-only for set-up and gate. The same as `at` without a sandbox: no mount. */
  readonly agentGit: string;
  readonly at: string;
  /** Always read-only. */
  readonly objects: { readonly from: string; readonly at: string };
}

/** The mounts of a private clone; undefined for a worktree. */
export function privateMounts(site: Pick<Site, 'path' | 'isolation' | 'trust'>): PrivateMounts | undefined {
  if (site.isolation !== 'clone') return undefined;
  const { tree, agentGit, dotGit, history } = privatePlaces(site);
  return { tree, agentGit, at: dotGit, objects: { from: history, at: history } };
}
