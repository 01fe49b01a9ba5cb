import { z } from 'zod';
import { Fault, isFault } from '../../domain/fault.ts';
import type { JournalEntry } from '../../domain/journal/entry.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type ImportedTask, parseImportLine } from '../../domain/task/import-line.ts';
import type { Task, TaskSpec } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import { Instant, instantOf, msOf, Name, Prompt, Tag, TaskId, Title } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { imports } from '../../store/records/imports.ts';
import { creationWrites, entriesAfter } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { withinBounds } from '../bounds.ts';
import { findProject } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { storeText } from '../texts.ts';
import { defined, draftOf, givenDefaults, landing, titleOf } from './create.ts';
import { awaited } from './graph.ts';
import { assertSandbox } from './trust.ts';
import { wholeView } from './view.ts';
import { type WorkPlace, workPlaceOf } from './work-place.ts';

export const taskTransferHandlers: Pick<Handlers, 'task.export' | 'task.import'> = {
  'task.export': async ({ project, limit, cursor }, scope) => {
    const index = project === undefined ? taskIndex.all : taskIndex.project((await findProject(scope, project)).body.id);
    const hits = await scope.reads.scan({ index, limit, ...(cursor === undefined ? {} : { from: `${cursor} ` }) });
    const items = await Promise.all(hits.map((hit) => exported(tasks.read(hit), scope)));
    const last = hits.length === limit ? hits.at(-1)?.sort : undefined;
    return plan({ items, ...(last ? { cursor: last } : {}) });
  },

  'task.import': async ({ lines, project, directory, dispatch }, scope) => {
    const wheres = whereFinder({ project, directory }, scope);
    const batch: Batch = { born: new Map(), waitedFor: new Map(), skipped: [] };
    for (const line of lines.map(parseImportLine)) {
      const known = batch.born.get(line.source)?.task.id ?? (await knownAs(line.source, scope));
      if (known) {
        batch.skipped.push({ source: line.source, why: `is here already as ${known}` });
        continue;
      }
      const after = await resolved(line, batch, scope);
      batch.born.set(line.source, {
        line,
        task: await taskFrom(line, { where: await wheres(line), after, dispatch }, scope),
      });
    }
    const made = [...batch.born.values()];
    const writes = [...made.flatMap(({ task, line }) => bornFrom(task, line, scope)), ...awaited([...batch.waitedFor.values()])];
    return plan({ created: made.map(({ task }) => task.id), skipped: batch.skipped }, writes);
  },
};

async function exported(task: Task, scope: Scope) {
  const entries = await entriesAfter(scope.reads, task.id, 0, Math.min(task.seq, LIMITS.pageItems.value));
  return { type: 'task' as const, task: await wholeView(task, scope), comments: entries.flatMap(remarksIn) };
}

/** Remarks made here, and those that came in with the task. */
function remarksIn(entry: JournalEntry): JournalEntry[] {
  if (entry.what === 'comment') return [entry];
  const brought = z.array(z.strictObject({ by: z.string(), text: z.string() })).safeParse(entry.data?.['comments']);
  return brought.success
    ? brought.data.map(({ by, text }) => ({ n: entry.n, at: entry.at, by, what: 'comment', why: text }))
    : [];
}

async function knownAs(source: string, { reads }: Scope): Promise<string | undefined> {
  if (TaskId.safeParse(source).success && (await tasks.get(reads, source))) return source;
  return (await imports.get(reads, source))?.body.taskId;
}

/**
 * What the caller says goes before what a line says. Lines of one file name few places: each is looked up once.
 */
function whereFinder(given: Placing, scope: Scope): (line: ImportedTask) => Promise<WorkPlace> {
  const found = new Map<string, Promise<WorkPlace>>();
  return (line) => {
    const key = JSON.stringify([line.project, line.directory]);
    const known = found.get(key) ?? whereFor(given, line, scope);
    found.set(key, known);
    return known;
  };
}

type Placing = { readonly project?: string | undefined; readonly directory?: string | undefined };

async function whereFor(given: Placing, line: ImportedTask, scope: Scope): Promise<WorkPlace> {
  if (given.project !== undefined) return workPlaceOf({ project: given.project }, scope);
  const directory = given.directory ?? line.directory;
  if (line.project === undefined && directory !== undefined) return workPlaceOf({ directory }, scope);
  if (line.project === undefined)
    throw new Fault('invalid', `${line.source} says no place to work: name a project or a directory for it`);
  const project = line.project;
  return workPlaceOf({ project }, scope).catch((error: unknown) => {
    if (directory !== undefined && isFault(error, 'not_found')) return workPlaceOf({ directory }, scope);
    throw error;
  });
}

/** What one commit brings in. */
interface Batch {
  readonly born: Map<string, { readonly line: ImportedTask; task: Task }>;
  /** Tasks that were here before and are waited for now. */
  readonly waitedFor: Map<string, Versioned<Task>>;
  readonly skipped: { source: string; why: string }[];
}

/** Dependencies on tasks that are here or come before it in the file; others are said, not invented. */
async function resolved(line: ImportedTask, batch: Batch, scope: Scope): Promise<Task[]> {
  const found = new Map<string, Task>();
  for (const source of line.after.slice(0, LIMITS.dependencies.value)) {
    const sibling = batch.born.get(source);
    const id = await knownAs(source, scope);
    const seen = id === undefined ? undefined : await tasks.get(scope.reads, id);
    if (sibling) sibling.task = { ...sibling.task, awaited: sibling.task.awaited + 1 };
    else if (seen) batch.waitedFor.set(seen.body.id, seen);
    const task = sibling?.task ?? seen?.body;
    if (task) found.set(task.id, task);
    else batch.skipped.push({ source: line.source, why: `came in without its dependency ${source}, which is not here` });
  }
  return [...found.values()];
}

interface Around {
  readonly where: WorkPlace;
  readonly after: readonly Task[];
  readonly dispatch: boolean;
}

async function taskFrom(line: ImportedTask, { where, after, dispatch }: Around, scope: Scope): Promise<Task> {
  const createdAt = createdOf(line.createdAt) ?? scope.now;
  const id = TaskId.safeParse(line.source);
  const bounded = await boundedWish(line, { where, after }, scope);
  const { sandbox, isolation } = bounded;
  if (sandbox) await assertSandbox(where.place, scope);
  // Where there is no repository, a private clone is not asked for again.
  const asked = where.project?.kind === 'directory' || !where.project ? { sandbox } : { sandbox, isolation };
  const wish = { ...bounded, isolation: undefined, ...landing(asked, where.project, scope) };
  const prompt = await storeText(scope, accepted(line, Prompt.safeParse(line.prompt)));
  const draft: Task = {
    ...draftOf(id.success ? id.data : scope.ids.task(createdAt), { wish, prompt }, scope),
    ...where.place,
    createdAt,
  };
  if (line.state === 'done') return { ...draft, phase: { state: 'done', at: scope.now } };
  if (line.state === 'canceled') return { ...draft, phase: { state: 'canceled', at: scope.now } };
  const unmet = after.filter(({ phase }) => phase.state !== 'done').map((task) => task.id);
  return dispatch ? transition(draft, { type: 'dispatch', at: scope.now, unmet }) : draft;
}

async function boundedWish(
  line: ImportedTask,
  { where, after }: Pick<Around, 'where' | 'after'>,
  scope: Scope,
): Promise<TaskSpec> {
  const wish = wishOf(line, after, scope);
  return withinBounds(wish, { executors: wish.executors, project: where.project }, scope);
}

const wishOf = (line: ImportedTask, after: readonly Task[], scope: Scope): TaskSpec => ({
  title: Title.safeParse(line.title).success ? line.title : titleOf(line.title),
  kind: line.held.kind ?? 'implement',
  expectsChanges: line.held.kind !== 'review' && line.held.kind !== 'explore',
  priority: line.priority,
  tags: line.tags.filter((tag) => Tag.safeParse(tag).success),
  executors: [],
  extraArgs: [],
  maxAttempts: scope.settings.current().values.max_attempts,
  dependsOn: after.map(({ id }) => id),
  metadata: TaskId.safeParse(line.source).success ? {} : { importedFrom: line.source.slice(0, 200) },
  ...(line.acceptance?.trim() ? { acceptance: line.acceptance } : {}),
  ...(Name.safeParse(line.assignee).success && line.assignee ? { assignee: line.assignee } : {}),
  ...givenDefaults({}, scope),
  ...defined(line.held),
});

function accepted(
  line: ImportedTask,
  result: { success: true; data: string } | { success: false; error: { issues: { message: string }[] } },
): string {
  if (result.success) return result.data;
  throw new Fault('invalid', `${line.source}: the prompt ${result.error.issues[0]?.message ?? 'is not usable'}`, {
    source: line.source,
  });
}

function createdOf(text: string | undefined): Instant | undefined {
  const ms = text === undefined ? Number.NaN : msOf(text);
  const instant = Number.isFinite(ms) && ms >= 0 ? Instant.safeParse(instantOf(ms)) : undefined;
  return instant?.success ? instant.data : undefined;
}

function bornFrom(task: Task, line: ImportedTask, { caller, now }: Scope): Write[] {
  const remarks = line.comments.slice(0, 20).map(({ by, text }) => ({ by: by.slice(0, 100), text: text.slice(0, 2_000) }));
  const note = {
    what: 'imported',
    to: task.phase.state,
    ...(remarks.length > 0 ? { data: { source: line.source, comments: remarks } } : {}),
  };
  return [
    ...creationWrites(tasks, task, { by: caller.name, at: now }, note),
    ...(task.id === line.source ? [] : [imports.put({ source: line.source, taskId: task.id }, 'absent')]),
  ];
}
