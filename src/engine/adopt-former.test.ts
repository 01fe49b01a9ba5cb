import { expect, it } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import type { Run } from '../domain/run/run.ts';
import type { ProjectId, WorkspaceId } from '../domain/values.ts';
import type { Workspace } from '../domain/work/workspace.ts';
import { hosts } from '../store/records/hosts.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { workspaceIndex, workspaces } from '../store/records/workspaces.ts';
import { adoptFormer } from './adopt-former.ts';

const HOST = 'host_01jx0000000000000000000000';

it('takes over every run and workspace of a former id, beyond one page, and only what is live or there', async () => {
  const house = engineHouse();
  const { store, now } = house;
  const pages = 2 * store.limits.rowsPerScan + 1;
  for (let n = 0; n < pages; n += 50)
    await store.commit(
      Array.from({ length: Math.min(50, pages - n) }, () => runs.put(runOn('laptop', house, 'claimed'), 'absent')),
    );
  await store.commit([
    runs.put(runOn('laptop', house, 'ended'), 'absent'),
    workspaces.put(workspaceAt('laptop', 1, '/place/workspaces/1', house), 'absent'),
  ]);
  const adopting = { store, now, host: HOST, hostName: 'desk', formerHosts: [{ host: 'laptop', why: 'named' } as const] };
  const logged: unknown[] = [];
  const log = (event: string, fields: object) => void logged.push({ event, ...fields });
  await adoptFormer({ ...adopting, log });
  await adoptFormer({ ...adopting, log });
  expect(logged).toEqual([{ event: 'host.adopted', former: 'laptop', why: 'named', runs: pages, workspaces: 1 }]);
  expect(await store.scan({ index: runIndex.live('laptop'), limit: 1 })).toEqual([]);
  expect((await store.count({ index: runIndex.live(HOST), limit: store.limits.rowsPerCount })).count).toBe(pages);
  expect(await store.scan({ index: workspaceIndex.host(HOST), limit: 5 })).toHaveLength(1);
  expect((await hosts.get(store, HOST))?.body.name).toBe('desk');
});

it('takes over what a restored backup of another home knows of, where no other host can be', async () => {
  const house = engineHouse();
  const { store, now } = house;
  await store.commit([
    hosts.put({ id: 'host_b', name: 'b', since: now() }, 'absent'),
    runs.put(runOn('host_b', house, 'claimed'), 'absent'),
  ]);
  const shared = { store, now, host: HOST, hostName: 'x', log: () => {} };
  await adoptFormer(shared);
  expect(await store.scan({ index: runIndex.live('host_b'), limit: 5 })).toHaveLength(1);
  await adoptFormer({ ...shared, isSoleHost: true });
  expect(await store.scan({ index: runIndex.live('host_b'), limit: 5 })).toEqual([]);
});

it('forgets the workspaces of the original that a copy knows of, and keeps those that came with it', async () => {
  const house = engineHouse();
  await house.store.commit([
    workspaces.put(workspaceAt('host_a', 1, '/original/workspaces/1', house), 'absent'),
    workspaces.put(workspaceAt('host_a', 2, '/copy/workspaces/2', house), 'absent'),
  ]);
  const formerHosts = [{ host: 'host_a', why: 'copied' } as const];
  const isHere = (path: string) => path.startsWith('/copy/');
  await adoptFormer({ store: house.store, now: house.now, host: HOST, hostName: 'x', formerHosts, isHere, log: () => {} });
  const left = await house.store.scan({ index: workspaceIndex.host(HOST), limit: 5 });
  expect(left.map((hit) => workspaces.read(hit).id)).toEqual(['ws_2']);
  expect(await workspaces.get(house.store, 'ws_1')).toBeUndefined();
});

const runOn = (host: string, { ids, now }: ReturnType<typeof engineHouse>, state: 'claimed' | 'ended'): Run => ({
  id: ids.run(),
  seq: 1,
  taskId: ids.task(),
  kind: 'agent',
  attempt: 1,
  executor: 'claude',
  host,
  holds: [],
  phase: state === 'claimed' ? { state, since: now() } : { state, at: now(), outcome: 'lost' },
  createdAt: now(),
  updatedAt: now(),
});

const workspaceAt = (host: string, n: number, path: string, { ids, now }: ReturnType<typeof engineHouse>): Workspace => ({
  id: `ws_${n}` as WorkspaceId,
  n,
  projectId: ids.project() as ProjectId,
  host,
  path,
  isolation: 'worktree',
  use: { kind: 'free' },
  state: 'ready',
  createdAt: now(),
  updatedAt: now(),
});
