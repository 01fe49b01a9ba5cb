import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryHouse } from '../../../test/support/memory-house.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { openMemoryStore } from '../../store/memory/memory-store.ts';
import type { Store } from '../../store/port.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { privatePlaces } from '../../workspace/private/places.ts';
import { homePaths } from '../home.ts';
import { groundOf, type SandboxGround } from './ground.ts';
import { type Confined, viewOf } from './view.ts';

const TASK = `task_${'0'.repeat(26)}`;

let root: string;
let store: Store;
let workspace: Workspace;

const task = (more: Partial<Task> = {}) =>
  ({ id: TASK, sandbox: true, isolation: 'clone', work: { workspaceId: 'ws_1' }, ...more }) as unknown as Task;
const paths = () => homePaths({ FLEET_HOME: join(root, 'home') }, '/');
const ground = (more: { run?: Partial<Run>; task?: Partial<Task>; directory?: string } = {}) =>
  groundOf(
    { store, paths: paths() },
    {
      run: (more.run ?? {}) as Run,
      task: task(more.task),
      directory: more.directory ?? workspace.path,
    },
  );

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ground-')));
  store = openMemoryStore();
  const path = join(paths().workspaces, 'shop', '1');
  const at = '2030-01-01T12:00:00.000Z';
  workspace = {
    id: 'ws_1',
    n: 1,
    projectId: `project_${'0'.repeat(26)}`,
    host: 'here',
    path,
    isolation: 'clone',
    trust: 'sandboxed',
    use: { kind: 'task', taskId: TASK, branch: 'b', start: 'a'.repeat(40) },
    state: 'ready',
    createdAt: at,
    updatedAt: at,
  } as Workspace;
  await store.commit([workspaces.put(workspace, 'absent')]);
  const places = privatePlaces(workspace);
  for (const place of [places.tree, places.dotGit, places.agentGit, places.history, join(root, 'somebody', '.ssh')])
    await mkdir(place, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const confined = (on: SandboxGround, more: Partial<Confined> = {}): Confined => ({
  paths: paths(),
  settings: memoryHouse().settings,
  taskId: TASK,
  runDirectory: join(paths().runs, 'run_1'),
  ground: on,
  executor: undefined,
  isChore: false,
  start: {
    mode: 'oneway',
    command: '/bin/true',
    args: [],
    directory: workspace.path,
    env: { HOME: join(root, 'somebody'), PATH: '/usr/bin' },
    files: [],
    steps: [],
  },
  ours: [],
  ...more,
});

async function seen(more: Partial<Confined> = {}) {
  const on = await ground();
  if ('why' in on) throw new Error(on.why);
  const view = await viewOf(confined(on, more));
  if ('why' in view) throw new Error(view.why);
  return view;
}

describe('what is mounted of a private clone', () => {
  it('is its tree, its own git directory and its history, and nothing of the project [RUN-16] [T12]', async () => {
    const { tree, dotGit, agentGit, history } = privatePlaces(workspace);
    const at = (mounts: Awaited<ReturnType<typeof seen>>) =>
      mounts.view.mounts.filter(({ from }) => from.startsWith(dirname(tree)));
    expect(at(await seen())).toEqual([
      { from: tree, at: tree, as: 'write' },
      { from: agentGit, at: dotGit, as: 'write' },
      { from: history, at: history, as: 'read' },
    ]);
    expect((await seen()).placeholders).toEqual([]);
    // Commands of the project cannot change what git knows.
    expect(at(await seen({ isChore: true }))[1]).toEqual({ from: agentGit, at: dotGit, as: 'read' });
  });

  it('is the same after a run that left everything behind that once led elsewhere [RUN-16] [T12]', async () => {
    const before = await seen();
    const { tree, agentGit } = privatePlaces(workspace);
    await mkdir(join(agentGit, 'fake', 'objects', 'info'), { recursive: true });
    await symlink(join(root, 'home'), join(agentGit, 'fake', 'worktrees'));
    await symlink(join(root, 'somebody', '.ssh'), join(agentGit, 'objects'));
    await writeFile(join(agentGit, 'commondir'), 'fake\n');
    await writeFile(join(agentGit, 'gitdir'), `${join(root, 'somebody')}\n`);
    await writeFile(join(agentGit, 'fake', 'objects', 'info', 'alternates'), `${join(root, 'somebody', '.ssh')}\n`);
    await symlink(join(root, 'somebody', '.ssh'), join(tree, '.claude'));
    await symlink(join(root, 'somebody', '.ssh'), join(tree, '.mcp.json'));
    await symlink('/', join(tree, 'node_modules'));
    expect(await seen()).toEqual(before);
  });

  it.each([
    ['the tree', 'tree'],
    ['its git directory', 'agentGit'],
    ['where that is mounted', 'dotGit'],
    ['its history', 'history'],
  ] as const)('is nothing at all when %s has become a link or is gone [RUN-16] [T12]', async (_what, part) => {
    const place = privatePlaces(workspace)[part];
    await rename(place, `${place}.away`);
    expect(await ground()).toEqual({ why: `${place} cannot be shown to it: it is gone` });
    await symlink(`${place}.away`, place);
    expect(await ground()).toMatchObject({ why: expect.stringContaining('is a link') });
    await rm(place);
    await writeFile(place, '');
    expect(await ground()).toMatchObject({ why: expect.stringMatching(/file|link/) });
  });

  it('is nothing when a link leads to where all of it lies', async () => {
    const above = dirname(workspace.path);
    await rename(above, `${above}.away`);
    await symlink(`${above}.away`, above);
    expect(await ground()).toMatchObject({ why: expect.stringContaining('a link leads to it') });
  });

  it('is nothing where the workspace is a worktree, or of another level [RUN-16]', async () => {
    for (const more of [{ isolation: 'worktree', trust: undefined }, { trust: 'apart' }] as const) {
      const known = await workspaces.get(store, 'ws_1');
      const { trust: _level, ...bare } = workspace;
      const row = {
        ...bare,
        ...(more.trust ? { trust: more.trust } : {}),
        isolation: 'isolation' in more ? more.isolation : 'clone',
      };
      await store.commit([workspaces.put(row as Workspace, known?.version ?? 'absent')]);
      expect(await ground()).toMatchObject({ why: expect.stringContaining('not made for a task in a sandbox') });
    }
  });
});

describe('a plain directory, worked in place', () => {
  const plain = async () => {
    const directory = join(root, 'plain', 'deep');
    await mkdir(directory, { recursive: true });
    return directory;
  };
  const none: Partial<Task> = { work: undefined } as Partial<Task>;

  it('can be neither a repository nor part of one, nor become one, [RUN-16] [T12]', async () => {
    const directory = await plain();
    expect(await ground({ directory, task: none })).toEqual({ kind: 'place' });
    const start = { ...confined({ kind: 'place' }).start, directory };
    const view = await viewOf(confined({ kind: 'place' }, { start }));
    if ('why' in view) throw new Error(view.why);
    const masked = view.view.mounts.filter(({ as }) => as !== 'write').map(({ at }) => at);
    for (const name of ['.git', 'HEAD', '.claude', '.mcp.json']) expect(masked).toContain(join(directory, name));
    await mkdir(join(root, 'plain', '.git'));
    await writeFile(join(root, 'plain', '.git', 'HEAD'), 'ref: refs/heads/main\n');
    expect(await ground({ directory, task: none })).toMatchObject({
      why: expect.stringContaining(`fleet project add ${join(root, 'plain')}`),
    });
  });

  it('is refused once it has become a link', async () => {
    const directory = await plain();
    await rename(directory, `${directory}.away`);
    await symlink(join(root, 'somebody', '.ssh'), directory);
    expect(await ground({ directory, task: none })).toMatchObject({ why: expect.stringContaining('has become a link') });
  });
});

it('what may be written besides leads nowhere else at the next start [RUN-16] [T12]', async () => {
  const [cache, key] = [join(root, 'somebody', 'cache'), join(root, 'somebody', '.ssh')];
  await mkdir(join(cache, 'shown'), { recursive: true });
  const settings = { ...memoryHouse().settings, sandbox_write: [cache], sandbox_read: [join(cache, 'shown')] };
  await seen({ settings });
  await rm(join(cache, 'shown'), { recursive: true });
  await symlink(key, join(cache, 'shown'));
  await expect(seen({ settings })).rejects.toThrow(
    `${join(cache, 'shown')} is a link, in a place where an agent could have made it`,
  );
  // Not either where the way there leads through a link of the user's, or one that may be written lies in another.
  await symlink(cache, join(root, 'somebody', 'way'));
  const through = { ...settings, sandbox_read: [join(root, 'somebody', 'way', 'shown')] };
  await expect(seen({ settings: through })).rejects.toThrow('could have made it');
  const within = { ...settings, sandbox_read: [], sandbox_write: [cache, join(cache, 'shown')] };
  await expect(seen({ settings: within })).rejects.toThrow('could have made it');
  await expect(seen({ settings: { ...within, sandbox_write: [join(root, 'somebody', 'way')] } })).resolves.toBeDefined();
});
