import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Pause } from '../src/domain/hold/pause.ts';
import type { Run } from '../src/domain/run/run.ts';
import type { Task } from '../src/domain/task/task.ts';
import type { WorkspaceId } from '../src/domain/values.ts';
import type { Workspace } from '../src/domain/work/workspace.ts';
import { failover } from '../src/engine/failover.ts';
import { LiveRuns } from '../src/engine/supervise/live-runs.ts';
import type { WorkDeps } from '../src/engine/work/deps.ts';
import { land } from '../src/engine/work/land.ts';
import { prove } from '../src/engine/work/prove.ts';
import { callerNames } from '../src/operations/token/token.ts';
import { openMemoryStore } from '../src/store/memory/memory-store.ts';
import { forgetRequests } from '../src/store/queries/sweep.ts';
import { pauses } from '../src/store/records/pauses.ts';
import { projects } from '../src/store/records/projects.ts';
import { requests } from '../src/store/records/requests.ts';
import { runs } from '../src/store/records/runs.ts';
import { tasks } from '../src/store/records/tasks.ts';
import { workspaces } from '../src/store/records/workspaces.ts';
import { codeFiles } from '../tools/checks/files.ts';
import { root } from '../tools/paths.mjs';
import { engineHouse } from './support/engine-house.ts';

/** So small that everything below fills more than two of them. */
const PAGE = 60;
const MANY = 2 * PAGE + 2;
const each = Array.from({ length: MANY }, (_, n) => n);

const house = () => engineHouse({}, { store: openMemoryStore(undefined, { rowsPerScan: PAGE }) });
type House = ReturnType<typeof house>;

const run = ({ ids, now }: House, more: Partial<Run> = {}): Run => ({
  ...{ id: ids.run(), seq: 1, taskId: ids.task(), kind: 'agent', attempt: 1, executor: 'claude', host: 'here', holds: [] },
  ...{ phase: { state: 'claimed', since: now() }, createdAt: now(), updatedAt: now() },
  ...more,
});

async function stored(at: House, id: string): Promise<{ body: Task; version: string }> {
  const seen = await tasks.get(at.store, id);
  if (!seen) throw new Error(`no task ${id}`);
  return seen as { body: Task; version: string };
}

/** Finished work of as many projects, in this phase. */
async function finished(at: House, state: 'verifying' | 'merging'): Promise<string[]> {
  const made: string[] = [];
  for (const n of each) {
    at.places.set(`/repo-${n}`, { kind: 'repository', path: `/repo-${n}`, branch: 'main', hasCommit: true });
    const project = await at.call('project.add', { path: `/repo-${n}`, name: `p${n}` });
    const { id } = await at.call('task.create', { project: project.id, prompt: 'x', draft: true });
    const { body, version } = await stored(at, id);
    const work = { branch: `b${n}`, target: 'main', base: 'a'.repeat(40), tip: 'b'.repeat(40) };
    const phase = { state, since: at.now(), holder: { kind: 'run', runId: at.ids.run() } };
    await at.store.commit([tasks.put({ ...body, work, phase } as Task, version)]);
    made.push(id);
  }
  return made;
}

const withWork = (at: House) =>
  ({ ...at.needs, log: () => undefined, workRules: () => ({ repairs: 2, gates: 1 }), gitWork: {} }) as unknown as WorkDeps;

describe('rows beyond the second page', () => {
  it('of projects are listed, found by their directory, and may be given a limit', async () => {
    const at = house();
    for (const n of each) {
      at.places.set(`/repo-${n}`, { kind: 'directory', path: `/repo-${n}` });
      await at.call('project.add', { path: `/repo-${n}`, name: `p${n}`, plain: true });
    }
    const listed = (await at.call('project.list', {})).items;
    expect(listed.map(({ name }) => name).toSorted()).toEqual(each.map((n) => `p${n}`).toSorted());
    expect((await at.call('fleet.status', {})).projects).toBe(MANY);
    for (const n of each) {
      const task = await at.call('task.create', { directory: `/repo-${n}`, prompt: 'x' });
      expect((await projects.get(at.store, task.projectId ?? ''))?.body.name).toBe(`p${n}`);
    }
  });

  it('of live runs are watched, and ended ones are found by the end of their id', async () => {
    const at = house();
    const made = each.map(() => run(at));
    const owner = await at.call('task.create', { directory: '/repo', prompt: 'x', draft: true });
    for (const one of made) await at.store.commit([runs.put({ ...one, taskId: owner.id }, 'absent')]);
    expect((await new LiveRuns(at.needs).look()).map(({ run: seen }) => seen.body.id).toSorted()).toEqual(
      made.map(({ id }) => id).toSorted(),
    );
    for (const { id } of made) expect((await at.call('run.show', { id: id.slice(-12) })).id).toBe(id);
    expect((await at.call('task.cost', { id: owner.id })).runs).toHaveLength(MANY);
  });

  it('of questions and tokens are found by the end of their id', async () => {
    const at = house();
    const asked: string[] = [];
    for (const n of each) asked.push((await at.call('question.ask', { text: `${n}?` })).id);
    for (const id of asked) expect((await at.call('question.show', { id: id.slice(-12) })).id).toBe(id);
    const made: string[] = [];
    for (const n of each) made.push((await at.call('token.create', { name: `worker ${n}`, role: 'worker' })).id);
    expect(await callerNames(at.store, at.now(), 'you')).toContain('worker 0');
    for (const id of made) expect((await at.call('token.revoke', { id: id.slice(-12) })).revokedAt).toBeDefined();
  });

  it('of workspaces are listed', async () => {
    const at = house();
    for (const n of each) {
      const workspace: Workspace = {
        ...{ id: `ws_${n + 1}` as WorkspaceId, n: n + 1, projectId: at.ids.project(), host: 'here', path: `/w/${n}` },
        ...{ isolation: 'worktree', use: { kind: 'free' }, state: 'ready', createdAt: at.now(), updatedAt: at.now() },
      };
      await at.store.commit([workspaces.put(workspace, 'absent')]);
    }
    expect((await at.call('workspace.list', {})).items).toHaveLength(MANY);
  });

  it('of pauses are listed, and move their tasks on', async () => {
    const at = house();
    const until = new Date(Date.parse(at.now()) + 3_600_000).toISOString();
    const pause = (executor: string): Pause => ({
      ...{ id: `pause_${executor}/default`, seq: 1, executor, account: 'default', since: at.now(), until, stated: true },
      ...{ guesses: 0, why: 'full', runId: at.ids.run() },
    });
    for (const n of each) await at.store.commit([pauses.put(pause(`a${n}`), 'absent')]);
    await at.store.commit([pauses.put(pause('codex'), 'absent')]);
    expect((await at.call('pause.list', { limit: 200 })).items).toHaveLength(MANY + 1);
    // Those before cannot move; the last one can.
    for (const _ of each) await at.call('task.create', { directory: '/repo', prompt: 'x', executor: ['codex'] });
    const last = await at.call('task.create', {
      directory: '/repo',
      prompt: 'x',
      executor: ['codex', 'claude'],
      failover: 'next',
    });
    const { moves } = await failover(at.needs).observe();
    expect(moves.map(({ task }) => task.body.id)).toEqual([last.id]);
  });

  it('of finished work are proved and landed, whatever other projects have waiting', async () => {
    const at = house();
    const waiting = await finished(at, 'merging');
    const { merging } = await land(withWork(at)).observe();
    expect(merging.map(({ seen }) => seen.body.id).toSorted()).toEqual(waiting.toSorted());
    const claimed = await (async () => {
      const other = house();
      const ids = await finished(other, 'verifying');
      return [ids, (await prove(withWork(other)).observe()).map(({ seen }) => seen.body.id)] as const;
    })();
    expect(claimed[1].toSorted()).toEqual(claimed[0].toSorted());
  });

  it('of old answers are counted when nothing is to be removed', async () => {
    const { store, now } = house();
    for (const n of each)
      await store.commit([
        requests.put({ id: `r${n}`, operation: 'task.create', inputHash: 'x', answer: {}, at: now() }, 'absent'),
      ]);
    expect(await forgetRequests(store, '2099-01-01T00:00:00.000Z', true)).toBe(MANY);
  });
});

it('no query reads one page and takes it for everything', () => {
  const pages = new Set([
    'src/store/queries/every-hit.ts',
    'src/store/assert-writes.ts',
    'src/store/port.ts',
    'src/domain/limits.ts',
  ]);
  // Each goes on from page to page itself, or says that there is more.
  const going = new Set([
    'src/operations/authorize.ts',
    'src/operations/home/home.ts',
    'src/operations/task/list.ts',
    'src/operations/cost/cost.ts',
  ]);
  const found = codeFiles(root).filter(
    (path) =>
      path.startsWith('src/') &&
      !/\.test\.ts$|\/conformance\//.test(path) &&
      readFileSync(join(root, path), 'utf8').includes('rowsPerScan'),
  );
  expect(found.filter((path) => !pages.has(path) && !going.has(path))).toEqual([]);
});
