import type { Project } from '../../domain/project/project.ts';
import type { Task } from '../../domain/task/task.ts';
import { conflictText } from '../../domain/work/review-facts.ts';
import type { Versioned } from '../../store/records/record.ts';
import type { BackgroundWork } from './background-work.ts';
import type { WorkDeps } from './deps.ts';
import { stop } from './repair.ts';

interface Means {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
}

/** Offers proved work for review. Whether it still fits onto its target is tried first, in memory, and said with it. */
export async function offer(seen: Versioned<Task>, project: Project | undefined, what: string, means: Means): Promise<boolean> {
  const { needs, beside } = means;
  const { work, id } = seen.body;
  if (!work?.tip || !project) return stop(seen, { cause: 'review', who: 'you', what }, needs);
  const { tip, target } = work;
  const found = await beside.take(`offer ${id} ${tip}`, async () => {
    const onto = await needs.gitWork.commitOf(project, `refs/heads/${target}`);
    if (onto === undefined) return undefined;
    const combined = await needs.gitWork.combine(project, { onto, tip, origin: { task: seen.body }, at: seen.body.createdAt });
    return combined.state === 'conflict' ? { tip, onto, files: [...combined.files] } : undefined;
  });
  if (!found) return false;
  const conflicts = found.value;
  if (!conflicts) return stop(seen, { cause: 'review', who: 'you', what }, needs);
  const told = `${conflictText(target, conflicts.files)}: when it is approved, its agent is asked to resolve that first; ${what}`;
  return stop(
    { ...seen, body: { ...seen.body, work: { ...work, conflicts } } },
    { cause: 'review', who: 'you', what: told },
    needs,
  );
}
