import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from '../domain/run/run.ts';
import type { Task } from '../domain/task/task.ts';
import { makeDirectory, PRIVATE_FILE, writeFileAtomic } from '../platform/files.ts';

export interface NotePlaces {
  readonly directory: string;
  readonly artifacts: string;
}

export const notePlaces = (tasksDirectory: string, taskId: string): NotePlaces => ({
  directory: join(tasksDirectory, taskId),
  artifacts: join(tasksDirectory, taskId, 'artifacts'),
});

const FIRST_NOTES: Readonly<Record<string, string>> = {
  'PLAN_AND_STATUS.md':
    '# Plan and status\n\n## Restatement\n\n## Plan\n\n## Status\n\n### Done\n\n### In progress\n\n### Blocked\n',
  'KNOWLEDGE.md': '# Knowledge\n\n## Surface area\n\n## Invariants\n\n## Gotchas\n',
  'Q&A.md': '# Questions and answers\n',
};

/** What every agent of a task reads first and leaves for the next one. What is there already is never overwritten. */
export async function layNotes(places: NotePlaces, task: Task, run: Run): Promise<void> {
  await makeDirectory(places.directory);
  await makeDirectory(places.artifacts);
  for (const [name, text] of Object.entries(FIRST_NOTES)) await writeOnce(join(places.artifacts, name), text);
  const { id, title, priority, dependsOn, phase, directory } = task;
  const told = {
    id,
    title,
    status: phase.state,
    cwd: directory ?? run.directory,
    coder: run.executor,
    model: run.model,
    priority,
    depends_on: dependsOn,
  };
  await writeFileAtomic(join(places.directory, 'task.json'), `${JSON.stringify(told, null, 2)}\n`);
}

const writeOnce = (path: string, text: string): Promise<void> =>
  writeFile(path, text, { flag: 'wx', mode: PRIVATE_FILE }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
