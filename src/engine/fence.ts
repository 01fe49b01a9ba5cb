import { isFault } from '../domain/fault.ts';
import type { HeldLease } from './lease.ts';
import type { Runner } from './supervise/deps.ts';
import type { GitWork } from './work/deps.ts';

/** Carries out an effect only while the lease is ours. */
export type WithLease = <Answer>(effect: () => Promise<Answer>) => Promise<Answer>;

export const withLease =
  (lease: HeldLease, lost: () => void): WithLease =>
  async (effect) => {
    await lease.assure().catch((error: unknown) => {
      if (isFault(error, 'conflict')) lost();
      throw error;
    });
    return effect();
  };

/**
 * What is done to processes is no commit and has no fence of its own. An engine that comes to itself after a stall may be
 * about to do what it had decided before it; it learns here that another has taken over, and does nothing any more.
 */
export const fencedRunner = (runner: Runner, held: WithLease): Runner => ({
  ...runner,
  start: (runId, start) => held(() => runner.start(runId, start)),
  preventStart: (runId) => held(() => runner.preventStart(runId)),
  send: (runId, at, tail) => held(() => runner.send(runId, at, tail)),
  end: (runId, how) => held(() => runner.end(runId, how)),
  trim: (runId, bytes) => held(() => runner.trim(runId, bytes)),
});

/** The same for what is done to repositories and working trees. */
export const fencedGitWork = (gitWork: GitWork, held: WithLease): GitWork => ({
  ...gitWork,
  provision: (site, how) => held(() => gitWork.provision(site, how)),
  showBranches: (site, wish) => held(() => gitWork.showBranches(site, wish)),
  recordSetup: (site, from) => held(() => gitWork.recordSetup(site, from)),
  commitWork: (site, origin) => held(() => gitWork.commitWork(site, origin)),
  reset: (site) => held(() => gitWork.reset(site)),
  remove: (site) => held(() => gitWork.remove(site)),
  putAside: (site, wish) => held(() => gitWork.putAside(site, wish)),
  removeAside: (path) => held(() => gitWork.removeAside(path)),
  removeOrphan: (orphan) => held(() => gitWork.removeOrphan(orphan)),
  advance: (project, move) => held(() => gitWork.advance(project, move)),
  push: (project, branch) => held(() => gitWork.push(project, branch)),
  dropRef: (project, ref) => held(() => gitWork.dropRef(project, ref)),
  dropBranch: (project, branch, at) => held(() => gitWork.dropBranch(project, branch, at)),
  dropKeptBranch: (project, branch, taskId) => held(() => gitWork.dropKeptBranch(project, branch, taskId)),
});
