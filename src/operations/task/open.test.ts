import { describe, expect, it } from 'vitest';
import { type MemoryHouse, memoryHouse } from '../../../test/support/memory-house.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { WorkspaceId } from '../../domain/values.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaces } from '../../store/records/workspaces.ts';

const COMMIT = 'a'.repeat(40);
const SPACE = 'ws_1' as WorkspaceId;

const watch = (session?: string): Watch => ({
  offset: 0,
  skipping: false,
  state: null,
  outbox: { at: 0, tail: '' },
  ...(session ? { session } : {}),
  lines: 1,
  events: 1,
  droppedBytes: 0,
  lastWords: '',
  openTools: [],
  asks: [],
  signAt: '2030-01-01T12:00:00.000Z',
  activeMs: 1,
});

/** A task that failed in the plain directory after its agent had led a conversation; and what is different this time. */
async function left(house: MemoryHouse, task: Partial<Task> = {}, ...led: Partial<Run>[]) {
  const at = house.now();
  const { id } = await house.call('task.create', { directory: '/plain', prompt: 'make it so' });
  const seen = await tasks.get(house.store, id);
  if (!seen) throw new Error('it was not created');
  const rows = (led.length === 0 ? [{}] : led).map((run): Run => {
    house.pass(1);
    return {
      ...{ id: house.ids.run(), seq: 1, taskId: id, kind: 'agent', attempt: 1, executor: 'claude', host: 'here', holds: [] },
      phase: { state: 'ended', at, outcome: 'crashed' },
      watch: watch('s-1'),
      createdAt: at,
      updatedAt: at,
      ...run,
    };
  });
  const failed: Task = { ...seen.body, phase: { state: 'failed', at, reason: 'crashed' }, ...task };
  await house.store.commit([tasks.put(failed, seen.version), ...rows.map((row) => runs.put(row, 'absent'))]);
  return { id, runIds: rows.map((row) => row.id) };
}

const space = (house: MemoryHouse, taskId: Task['id'], more: Partial<Workspace> = {}): Workspace => ({
  ...{ id: SPACE, n: 1, projectId: house.ids.project(), host: 'here', path: '/repo', isolation: 'worktree', state: 'ready' },
  use: { kind: 'task', taskId, branch: 'x', start: COMMIT },
  createdAt: house.now(),
  updatedAt: house.now(),
  ...more,
});
const work = { branch: 'x', target: 'main', base: COMMIT, workspaceId: SPACE };
const open = (house: MemoryHouse, id: string) => house.call('task.open', { id, files: '/tmp/open' });

describe('task.open', () => {
  it('tells how the newest conversation is gone on with, where its agent worked', async () => {
    const house = memoryHouse();
    const { id, runIds } = await left(
      house,
      {},
      {},
      { watch: watch('s-2') },
      { watch: watch() },
      { kind: 'gate', watch: watch('s-3') },
    );
    expect(await open(house, id)).toEqual({
      taskId: id,
      runId: runIds[1],
      executor: 'claude',
      directory: '/plain',
      command: '/bin/claude',
      args: ['--resume', 's-2'],
      env: {},
      files: [],
      filesIn: '/tmp/open',
    });
  });

  it('names the workspace of the task, while it has one', async () => {
    const house = memoryHouse();
    const { id } = await left(house, { work });
    const gone = { hint: expect.stringContaining('fleet task restore') };
    await expect(open(house, id)).rejects.toMatchObject({ code: 'conflict', details: gone });
    await house.store.commit([workspaces.put(space(house, id), 'absent')]);
    expect(await open(house, id)).toMatchObject({ directory: '/repo' });
    house.places.delete('/repo');
    await expect(open(house, id)).rejects.toMatchObject({
      message: expect.stringContaining('its workspace is gone'),
      details: gone,
    });
  });

  it.each<[string, Partial<Task>, Partial<Run>, string]>([
    ['a run is at work on it', {}, { phase: { state: 'claimed', since: '2030-01-01T12:00:00.000Z' } }, 'is at work on it'],
    ['an agent may begin at any moment', { phase: { state: 'queued', since: '2030-01-01T12:00:00.000Z' } }, {}, 'it is queued'],
    ['no agent has said which conversation it leads', {}, { watch: watch() }, 'no agent has led a conversation'],
    ['its program has no form for people', {}, { executor: 'scripted' }, 'scripted has no form for people'],
    ['its conversation lies in a sandbox', { sandbox: true }, {}, 'sandbox'],
    ['its conversation was led on another account', {}, { account: 'work' }, 'led on the account claude/work'],
    ['its conversation lies on another machine', {}, { host: 'there' }, 'lies on there'],
    ['its directory is gone', { directory: '/gone' }, {}, '/gone is gone'],
  ])('is refused when %s', async (_when, task, run, why) => {
    const house = memoryHouse();
    const { id } = await left(house, task, run);
    await expect(open(house, id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(why) });
  });

  it('says how a run at work is ended', async () => {
    const house = memoryHouse();
    const { id } = await left(house, {}, { phase: { state: 'claimed', since: house.now() } });
    await expect(open(house, id)).rejects.toMatchObject({
      details: { hint: expect.stringContaining(`fleet task cancel ${id}`) },
    });
  });
});
