import { isFault } from '../domain/fault.ts';
import type { Held } from './lease.ts';
import type { Runner } from './supervise/needs.ts';
import type { Workshop } from './work/needs.ts';

/** Carries out an effect only while the lease is ours. */
export type Holding = <Answer>(effect: () => Promise<Answer>) => Promise<Answer>;

export const holding =
  (lease: Held, lost: () => void): Holding =>
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
export const fencedRunner = (runner: Runner, held: Holding): Runner => ({
  ...runner,
  start: (runId, start) => held(() => runner.start(runId, start)),
  forestall: (runId) => held(() => runner.forestall(runId)),
  send: (runId, at, tail) => held(() => runner.send(runId, at, tail)),
  end: (runId, how) => held(() => runner.end(runId, how)),
  trim: (runId, bytes) => held(() => runner.trim(runId, bytes)),
});

/** The same for what is done to repositories and working trees. */
export const fencedWorkshop = (workshop: Workshop, held: Holding): Workshop => ({
  ...workshop,
  layOut: (site, how) => held(() => workshop.layOut(site, how)),
  show: (site, wish) => held(() => workshop.show(site, wish)),
  madeBySetup: (site, from) => held(() => workshop.madeBySetup(site, from)),
  gather: (site, origin) => held(() => workshop.gather(site, origin)),
  clear: (site) => held(() => workshop.clear(site)),
  discard: (site) => held(() => workshop.discard(site)),
  putAside: (site, wish) => held(() => workshop.putAside(site, wish)),
  removeAside: (path) => held(() => workshop.removeAside(path)),
  removeOrphan: (orphan) => held(() => workshop.removeOrphan(orphan)),
  advance: (project, move) => held(() => workshop.advance(project, move)),
  push: (project, branch) => held(() => workshop.push(project, branch)),
  dropRef: (project, ref) => held(() => workshop.dropRef(project, ref)),
  dropBranch: (project, branch, at) => held(() => workshop.dropBranch(project, branch, at)),
  dropKeptBranch: (project, branch, taskId) => held(() => workshop.dropKeptBranch(project, branch, taskId)),
});
