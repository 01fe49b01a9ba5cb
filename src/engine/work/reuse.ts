import type { Project } from '../../domain/project/project.ts';
import { reuseOf, type Setup, type SetupRequest, type SetupSource } from '../../domain/work/setup.ts';
import type { WorkDeps } from './deps.ts';

type At = Pick<SetupSource, 'commit' | 'trust'>;

/** What the project's set-up would run on. Undefined where it has none, or nothing is known of the commit. */
export async function setupWish(project: Project, at: At, { gitWork }: WorkDeps): Promise<SetupRequest | undefined> {
  if (project.setup === undefined) return undefined;
  const source = await gitWork.setupSource(project, at);
  return source && { ...source, command: project.setup };
}

interface Place {
  readonly project: Project;
  /** The branch that counts as agreed to; that of the project by default. */
  readonly target?: string | undefined;
}

/** Whether what was made before stands in for the set-up that is wanted. */
export async function isReusable(
  made: Setup | undefined,
  wanted: SetupRequest | undefined,
  place: Place,
  needs: WorkDeps,
): Promise<boolean> {
  if (made?.source === undefined || wanted === undefined) return false;
  const answer = reuseOf(made, wanted);
  if (answer !== 'if-landed') return answer === 'yes';
  return hasLanded(made.source.commit, place, needs);
}

/** Whether somebody has agreed to a commit: it is on the target branch. */
export async function hasLanded(
  commit: string,
  { project, target = project.targetBranch }: Place,
  { gitWork }: WorkDeps,
): Promise<boolean> {
  const branch = await gitWork.targetOf(project, target);
  return branch.state === 'found' && gitWork.isContained(project, { commit, tip: branch.commit });
}
