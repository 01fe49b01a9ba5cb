import type { JournalEntry } from '../../domain/journal/entry.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Write } from '../../store/port.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';

/** One line of history and the thing as it stands after it. */
export type Fact =
  | { readonly of: 'task'; readonly entry: JournalEntry; readonly task: Task }
  | { readonly of: 'run'; readonly entry: JournalEntry; readonly run: Run }
  | { readonly of: 'question'; readonly entry: JournalEntry };

/** What a commit says has happened. A row may be written for many reasons; its history grows for one. */
export function factsIn(writes: readonly Write[]): Fact[] {
  const facts: Fact[] = [];
  for (const { op, key, ...write } of writes) {
    if (op !== 'put' || key.kind !== 'journal') continue;
    const { body: entry } = write as { body: JournalEntry };
    const id = key.id.slice(0, key.id.lastIndexOf('/'));
    if (id.startsWith('question_')) facts.push({ of: 'question', entry });
    else if (id.startsWith('task_')) {
      const task = put<Task>(writes, tasks.kind, id);
      if (task) facts.push({ of: 'task', entry, task });
    } else if (id.startsWith('run_')) {
      const run = put<Run>(writes, runs.kind, id);
      if (run) facts.push({ of: 'run', entry, run });
    }
  }
  return facts;
}

function put<Body>(writes: readonly Write[], kind: string, id: string): Body | undefined {
  const found = writes.find(({ op, key }) => op === 'put' && key.kind === kind && key.id === id);
  return (found as { body: Body } | undefined)?.body;
}
