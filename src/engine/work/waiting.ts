import type { Project } from '../../domain/project/project.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Work } from '../../domain/work/work.ts';
import type { Versioned } from '../../store/records/record.ts';

/** Finished work that is to land. */
export interface WaitingToLand {
  readonly seen: Versioned<Task>;
  readonly project: Project;
  readonly work: Work;
}
