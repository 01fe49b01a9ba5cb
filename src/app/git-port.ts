import { dirname, relative } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { RunId } from '../domain/values.ts';
import { keptRef } from '../domain/work/work.ts';
import type { GitPort } from '../operations/scope.ts';
import { changesBetween, diffText } from '../workspace/history/changes.ts';
import { blame } from '../workspace/history/provenance.ts';
import { inspect, realPath } from '../workspace/inspect.ts';
import { pushBranch } from '../workspace/land/push.ts';
import { makeBranch, refsBelow } from '../workspace/save/restored.ts';
import { gitWorkOf } from './git-work.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What operations may ask of git. */
export function gitPortOf(paths: HomePaths, env: Env): GitPort {
  const gitWork = gitWorkOf(paths, env);
  return {
    diff: (project, wish) => diffText(project.path, wish, env),
    totals: async (project, span) => ({ ...(await changesBetween(project.path, span, env)).totals }),
    gather: async (site, task) => {
      const found = await gitWork.commitWork(site, { task });
      if (!found) throw new Fault('conflict', `the workspace ${site.workspace.path} is gone from the disk`);
      if (found.without)
        throw new Fault('conflict', `not everything in ${site.workspace.path} can be committed: ${found.without}`);
      return found;
    },
    push: (project, wish) => pushBranch(project.path, wish, env),
    keptOf: async (project, taskId, run) => {
      const found = await refsBelow(project.path, `refs/fleet/kept/${taskId}`, env);
      const wanted = run === undefined ? found[0] : found.find(({ ref }) => ref.endsWith(run));
      const id = wanted?.ref.slice(keptRef(taskId, '').length) ?? '';
      return wanted && { commit: wanted.commit, ...(id.startsWith('run_') ? { runId: id as RunId } : {}) };
    },
    snapshot: (site, { ref, task, run }) => gitWork.save(site, { ref, origin: { task, run } }),
    target: async (project, wanted) => {
      const found = await gitWork.targetOf(project, wanted);
      return found.state === 'found' ? { branch: found.branch, commit: found.commit } : { branch: found.branch };
    },
    commit: (project, ref) => gitWork.commitOf(project, ref),
    has: async (project, commit) => (await gitWork.commitOf(project, commit)) !== undefined,
    restore: (project, wish) => makeBranch(project.path, wish, env),
    blame: async (path, { ref, line }) => {
      const place = await inspect(dirname(path), env);
      if (place.kind !== 'repository') throw new Fault('invalid', `${path} does not lie in the checkout of a git repository`);
      const directory = (await realPath(dirname(path))) ?? dirname(path);
      const file = relative(place.path, `${directory}/${path.slice(dirname(path).length + 1)}`);
      const found = await blame(place.path, { file, ref, ...(line === undefined ? {} : { from: line, to: line }) }, env);
      return { file, lines: found.map(({ provenance, ...one }) => ({ ...one, ...provenance })) };
    },
  };
}
