import type { Task } from '../domain/task/task.ts';
import { applyFileOpsSync } from '../platform/file-ops.ts';
import { isThereSync } from '../platform/read-safely-sync.ts';
import type { Write } from '../store/port.ts';
import { tasks } from '../store/records/tasks.ts';
import { notePlaces, standingFor } from './notes.ts';
import type { Commits } from './observe/commits.ts';

/** Several changes of a task within this time are written once. */
const GATHER_MS = 100;
/** So many are written in one go; the loop has a rest between. */
const AT_ONCE = 50;
/** More than these are not kept in mind: their files are brought up to date at their next change. */
const MOST = 10_000;

/** Keeps the status in the notes of tasks true, whatever in this process has changed it. Tasks without notes cost one look. */
export function keepNotes(commits: Commits, directory: string): { close(): void } {
  const changed = new Map<string, Task>();
  let timer: NodeJS.Timeout | undefined;
  const write = (most: number) => {
    timer = undefined;
    for (const [id, task] of [...changed].slice(0, most)) {
      changed.delete(id);
      noted(directory, task);
    }
    if (changed.size > 0) later();
  };
  const later = () => {
    timer ??= setTimeout(write, GATHER_MS, AT_ONCE).unref();
  };
  const heard = ({ op, key, ...rest }: Write) => {
    if (key.kind !== tasks.kind) return;
    if (op !== 'put') return void changed.delete(key.id);
    const task = (rest as { body: Task }).body;
    // One that was just made has no notes.
    if (task.seq === 1 || changed.size >= MOST) return;
    changed.set(key.id, task);
    later();
  };
  const stop = commits.tell(
    (writes) => writes.forEach(heard),
    () => undefined,
  );
  return {
    close: () => {
      stop();
      clearTimeout(timer);
      write(Number.POSITIVE_INFINITY);
    },
  };
}

/** Whoever works on the task may do what they like with its files; that is no matter of the change. */
function noted(directory: string, task: Task): void {
  const places = notePlaces(directory, task.id);
  try {
    if (isThereSync(places.directory)) applyFileOpsSync(standingFor(places, task));
  } catch {
    // It is written at the next change.
  }
}
