const TASK = /^task_[0-9a-z]{26}$/;
const RUN = /^run_[0-9a-z]{26}$/;
const LOOKED_AT = 500;

export interface LogSubject {
  readonly taskId?: string;
  readonly runId?: string;
}

/** The task and the run an action is about, for the log: the ids that stand nearest to its surface. */
export function subjectOf(action: unknown): LogSubject {
  let found: LogSubject = {};
  const waiting: unknown[] = [action];
  // It grows as it is walked: what lies deeper comes later.
  for (const value of waiting) {
    if (typeof value === 'string') {
      if (found.taskId === undefined && TASK.test(value)) found = { ...found, taskId: value };
      else if (found.runId === undefined && RUN.test(value)) found = { ...found, runId: value };
    } else if (typeof value === 'object' && value !== null && waiting.length < LOOKED_AT) waiting.push(...Object.values(value));
  }
  return found;
}
