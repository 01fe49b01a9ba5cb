import { basename } from 'node:path';
import type { z } from 'zod';
import type { addProject, setProject } from '../../contract/project.ts';
import { Fault } from '../../domain/fault.ts';
import { assertServers } from '../../domain/project/mcp-servers.ts';
import type { Project } from '../../domain/project/project.ts';
import { isFinal } from '../../domain/task/task.ts';
import { Name, type ProjectId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { allHits, everyHit } from '../../store/queries/every-hit.ts';
import { changeWrites, creationWrites } from '../../store/records/journal.ts';
import { canonical, projectIndex, projectNames, projects } from '../../store/records/projects.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { assertMayBound, assertMayName } from '../bounds.ts';
import { findProject, stillAt } from '../find.ts';
import { type DirectoryKind, type Handlers, plan, type Scope } from '../scope.ts';
import { assertIntegration, defined } from '../task/create.ts';
import { assertExecutors } from '../task/executors.ts';
import { assertAllowed } from '../task/work-place.ts';

type Wishes = Omit<
  z.output<typeof addProject.input> & z.output<typeof setProject.input>,
  'path' | 'plain' | 'project' | 'clear' | 'ifSeq'
>;

export const projectHandlers: Pick<Handlers, 'project.add' | 'project.list' | 'project.show' | 'project.set' | 'project.remove'> =
  {
    'project.add': async ({ path, plain, name, ...wishes }, scope) => {
      const place = usable(await scope.places.inspect(path), path, plain);
      await assertAllowed(place.path, scope);
      await assertExecutors([...(wishes.executor ? [wishes.executor] : []), ...(wishes.allowExecutor ?? [])], scope);
      assertIntegration(wishes.integration);
      assertServers(wishes.mcpServers ?? {});
      assertMayName(defined({ ...wishes }), scope);
      const project: Project = {
        ...recordFields({ ...wishes }),
        description: wishes.description ?? '',
        copyFiles: wishes.copyFile ?? [],
        mcpServers: wishes.mcpServers ?? {},
        ...(place.branch && !wishes.targetBranch ? { targetBranch: place.branch } : {}),
        name: name ?? nameFor(place.path),
        id: scope.ids.project(),
        seq: 1,
        path: place.path,
        kind: place.kind,
        createdAt: scope.now,
        createdBy: scope.caller.name,
        updatedAt: scope.now,
      };
      const author = { by: scope.caller.name, at: scope.now };
      return plan(project, [...creationWrites(projects, project, author, { what: 'added' }), await nameTaken(project, scope)]);
    },

    'project.list': async (_input, { reads }) => {
      const hits = await allHits(reads, projectIndex.all);
      return plan({ items: hits.map(projects.read) });
    },

    'project.show': async ({ project }, scope) => plan((await findProject(scope, project)).body),

    'project.set': async ({ project: ref, clear, ifSeq, ...wishes }, scope) => {
      const seen = await findProject(scope, ref);
      stillAt('project', seen.body, ifSeq);
      await assertExecutors([...(wishes.executor ? [wishes.executor] : []), ...(wishes.allowExecutor ?? [])], scope);
      assertIntegration(wishes.integration);
      assertServers(wishes.mcpServers ?? {});
      const fields = { ...cleared(clear), ...recordFields(wishes) };
      assertMayBound(fields, scope);
      assertMayName(fields, scope);
      if (Object.keys(fields).length === 0) throw new Fault('invalid', 'nothing to change: give at least one field');
      const next = defined({ ...seen.body, ...fields, updatedAt: scope.now }) as Project;
      const note = { what: 'set', data: { fields: Object.keys(fields) } };
      const change = changeWrites(projects, seen, next, { author: { by: scope.caller.name, at: scope.now }, note });
      return plan({ ...next, seq: next.seq + 1 }, [...change, ...(await renamed(seen.body, next, scope))]);
    },

    'project.remove': async ({ project: ref, ifSeq }, scope) => {
      const seen = await findProject(scope, ref);
      stillAt('project', seen.body, ifSeq);
      await assertIdle(seen.body.id, seen.body.name, scope);
      const next: Project = { ...seen.body, removedAt: scope.now, updatedAt: scope.now };
      const change = changeWrites(projects, seen, next, {
        author: { by: scope.caller.name, at: scope.now },
        note: { what: 'removed' },
      });
      return plan({ ...next, seq: next.seq + 1 }, [...change, ...(await nameFreed(seen.body, scope))]);
    },
  };

type Usable = Extract<DirectoryKind, { kind: 'repository' | 'bare' | 'directory' }> & { branch?: string | undefined };

function usable(place: DirectoryKind, typed: string, plain: boolean): Usable {
  if (place.kind === 'unusable') throw new Fault('invalid', `cannot add ${typed}: ${place.why}`, { path: typed });
  if (place.kind === 'directory') {
    if (plain) return place;
    throw new Fault(
      'invalid',
      `${place.path} is not a git repository: run \`git init\` there and commit, or add it with --plain to work in place without branches`,
      { path: place.path },
    );
  }
  if (!place.hasCommit)
    throw new Fault('invalid', `${place.path} has no commit yet, so there is nothing to start from: commit something first`, {
      path: place.path,
    });
  return place;
}

/** A directory may be called what no project can be; what is left of its name will do. */
function nameFor(path: string): string {
  const cleaned = basename(path)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const name = Name.safeParse([...cleaned].slice(0, 64).join('').trim());
  if (!name.success)
    throw new Fault('invalid', `no name can be made from ${JSON.stringify(basename(path))}: give one with --name`);
  return name.data;
}

function recordFields(wishes: Partial<Wishes>): Partial<Project> {
  const { copyFile, setupInput, allowExecutor, ...same } = wishes;
  return defined({
    ...same,
    copyFiles: copyFile,
    setupInputs: setupInput,
    allowExecutors: allowExecutor,
  }) as Partial<Project>;
}

const EMPTY: Readonly<Record<string, unknown>> = { copyFiles: [], mcpServers: {}, description: '' };

/** Contract words that differ from the words of the record. */
const RECORD_FIELD: Readonly<Record<string, keyof Project>> = {
  copyFile: 'copyFiles',
  setupInput: 'setupInputs',
  allowExecutor: 'allowExecutors',
};

function cleared(clear: readonly string[]): Record<string, unknown> {
  const fields = clear.map((name) => RECORD_FIELD[name] ?? name);
  return Object.fromEntries(fields.map((field) => [field, EMPTY[field]]));
}

async function nameTaken({ name, id }: Project, { reads }: Scope): Promise<Write> {
  const seen = await projectNames.get(reads, canonical(name));
  if (seen)
    throw new Fault('conflict', `a project is called ${JSON.stringify(name)} already: choose another with --name`, { name });
  return projectNames.put({ name: canonical(name), projectId: id }, 'absent');
}

async function nameFreed({ name }: Project, { reads }: Scope): Promise<Write[]> {
  const seen = await projectNames.get(reads, canonical(name));
  return seen ? [projectNames.remove(seen.body, seen.version)] : [];
}

async function renamed(before: Project, next: Project, scope: Scope): Promise<Write[]> {
  if (canonical(before.name) === canonical(next.name)) return [];
  return [await nameTaken(next, scope), ...(await nameFreed(before, scope))];
}

async function assertIdle(id: ProjectId, name: string, { reads }: Scope): Promise<void> {
  for await (const hit of everyHit(reads, taskIndex.project(id))) {
    const { id: taskId, phase } = tasks.read(hit);
    if (!isFinal(phase))
      throw new Fault('conflict', `task ${taskId} of ${name} is ${phase.state}: finish or cancel the project's tasks first`);
  }
}
