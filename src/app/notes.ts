import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Job } from '../domain/agent/executor.ts';
import { executorRefOf } from '../domain/hold/account.ts';
import { ExecutorRef } from '../domain/hold/executor-ref.ts';
import type { JournalEntry } from '../domain/journal/entry.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Run } from '../domain/run/run.ts';
import type { Task } from '../domain/task/task.ts';
import { Path, Title } from '../domain/values.ts';
import { type AgentPath, agentPath, below } from '../platform/agent-path.ts';
import { type FileOp, placeAt } from '../platform/file-ops.ts';
import { readSafely } from '../platform/read-safely.ts';
import { textSafelySync } from '../platform/read-safely-sync.ts';

/**
 * The notes of one task: what its agents leave for each other, and what people may read and change there. Its agents can put
 * a link in the place of the directory itself, too.
 */
export interface NotePlaces {
  readonly directory: AgentPath;
  readonly artifacts: AgentPath;
}

export function notePlaces(tasksDirectory: string, taskId: string): NotePlaces {
  const directory = agentPath(tasksDirectory, taskId);
  return { directory, artifacts: below(directory, 'artifacts') };
}

/** Where agents ask and people answer by editing a file. */
export const QUESTIONS_PAGE = 'Q&A.md';

const FIRST_NOTES: Readonly<Record<string, string>> = {
  'PLAN_AND_STATUS.md':
    '# Plan and status\n\n## Restatement\n\n## Plan\n\n## Status\n\n### Done\n\n### In progress\n\n### Blocked\n',
  'KNOWLEDGE.md': '# Knowledge\n\n## Surface area\n\n## Invariants\n\n## Gotchas\n',
  [QUESTIONS_PAGE]: '# Questions and answers\n',
};

const TOLD = 'task.json';
/** What Fleet itself wrote last: the difference to the file is what a person changed. */
const WRITTEN = '.task.json.written';

/** What an agent has left there is never overwritten. Not flushed: everything of it can be written again. */
export function notesFor(
  { directory, artifacts }: NotePlaces,
  { task, run, job }: { task: Task; run: Run; job: Pick<Job, 'runDirectory' | 'workDirectory'> },
): FileOp[] {
  const { runDirectory } = job;
  const told = toldOf(task, run, job.workDirectory);
  return [
    { lay: 'directory', ...placeAt(artifacts) },
    ...Object.entries(FIRST_NOTES).map(([name, text]) => ({ lay: 'once', ...placeAt(below(artifacts, name)), text }) as const),
    ...[WRITTEN, TOLD].map((name) => ({ lay: 'whole', ...placeAt(below(directory, name)), text: told }) as const),
    { lay: 'link', ...placeAt(below(directory, 'log.jsonl')), target: join(runDirectory, 'out') },
    { lay: 'link', ...placeAt(below(directory, 'log.stderr')), target: join(runDirectory, 'err') },
  ];
}

function toldOf(task: Task, run: Run, cwd: string): string {
  const { id } = task;
  // A model that nobody chose is the program's own, whose name is not known.
  return textOf({ id, ...standing(task), cwd, coder: executorRefOf(run), model: run.model ?? null });
}

/** What is true of a task now, whoever changes what it asks for. */
const standing = ({ title, priority, dependsOn, phase }: Task) => ({
  title,
  status: phase.state,
  priority,
  depends_on: dependsOn,
});

const textOf = (told: object): string => `${JSON.stringify(told, null, 2)}\n`;

/** Brings `task.json` up to date, if the task has one; what a person has changed in it stays changed. */
export function standingFor(places: NotePlaces, task: Task): FileOp[] {
  const read = [WRITTEN, TOLD].map((name) => ({
    place: placeAt(below(places.directory, name)),
    told: jsonIn(places, name),
  }));
  if (read.some(({ told }) => told === undefined)) return [];
  return read.flatMap(({ place, told }) => {
    const text = textOf({ ...told, ...standing(task) });
    return text === textOf(told ?? {}) ? [] : [{ lay: 'whole', ...place, text } as const];
  });
}

/** Directory, executor and model as a person has changed them in `task.json` since Fleet wrote it. */
export function editsIn(
  places: NotePlaces,
  clean: (text: string) => string,
): { directory?: string; executors?: string[]; model?: string } {
  const [now, before] = [jsonIn(places, TOLD), jsonIn(places, WRITTEN)];
  if (!now || !before) return {};
  const changed = (key: string) => (now[key] === before[key] || holdsSecret(now[key], clean) ? undefined : now[key]);
  const [directory, coder, model] = [
    Path.safeParse(changed('cwd')),
    ExecutorRef.safeParse(changed('coder')),
    Title.safeParse(changed('model')),
  ];
  return {
    ...(directory.success ? { directory: directory.data } : {}),
    ...(coder.success ? { executors: [coder.data] } : {}),
    ...(model.success ? { model: model.data } : {}),
  };
}

/** Nobody works in a directory or with a model of such a name, and rows show it. */
const holdsSecret = (value: unknown, clean: (text: string) => string): boolean =>
  typeof value === 'string' && clean(value) !== value;

function jsonIn({ directory }: NotePlaces, name: string): Record<string, unknown> | undefined {
  const text = textSafelySync(below(directory, name), LIMITS.pageBytes.value);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Somebody is writing it now: there is nothing to heed.
    return undefined;
  }
}

/** How the notes stand that agents are to keep: another text when they have changed them. */
export async function notesVersion({ artifacts }: NotePlaces): Promise<string> {
  const texts = await Promise.all(
    Object.keys(FIRST_NOTES).map(async (name) => {
      const read = await readSafely(below(artifacts, name), LIMITS.pageBytes.value);
      return 'bytes' in read ? createHash('sha256').update(read.bytes).digest('hex') : read.why;
    }),
  );
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

/** The history of the task for whoever reads files. */
export const eventsFor = ({ directory }: NotePlaces, entries: readonly JournalEntry[]): FileOp[] => [
  { lay: 'directory', ...placeAt(directory) },
  {
    lay: 'whole',
    ...placeAt(below(directory, 'events.jsonl')),
    text: entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  },
];
