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
export const fencedGitWork = (workshop: GitWork, held: WithLease): GitWork => ({
  ...workshop,
  provision: (site, how) => held(() => workshop.provision(site, how)),
  showBranches: (site, wish) => held(() => workshop.showBranches(site, wish)),
  recordSetup: (site, from) => held(() => workshop.recordSetup(site, from)),
  commitWork: (site, origin) => held(() => workshop.commitWork(site, origin)),
  reset: (site) => held(() => workshop.reset(site)),
  remove: (site) => held(() => workshop.remove(site)),
  putAside: (site, wish) => held(() => workshop.putAside(site, wish)),
  removeAside: (path) => held(() => workshop.removeAside(path)),
  removeOrphan: (orphan) => held(() => workshop.removeOrphan(orphan)),
  advance: (project, move) => held(() => workshop.advance(project, move)),
  push: (project, branch) => held(() => workshop.push(project, branch)),
  dropRef: (project, ref) => held(() => workshop.dropRef(project, ref)),
  dropBranch: (project, branch, at) => held(() => workshop.dropBranch(project, branch, at)),
  dropKeptBranch: (project, branch, taskId) => held(() => workshop.dropKeptBranch(project, branch, taskId)),
});
