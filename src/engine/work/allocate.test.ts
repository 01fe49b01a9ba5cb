import { describe, expect, it } from 'vitest';
import { engineHouse } from '../../../test/support/engine-house.ts';
import type { Project } from '../../domain/project/project.ts';
import type { ProjectId, TaskId, WorkspaceId } from '../../domain/values.ts';
import type { SetupSource } from '../../domain/work/setup.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { allocate } from './allocate.ts';
import type { WorkDeps } from './deps.ts';

const projectId = `project_${'0'.repeat(26)}` as ProjectId;
const project = { id: projectId, path: '/repo', setup: 'npm ci', targetBranch: 'main' } as Project;
const use = { kind: 'task', taskId: `task_${'0'.repeat(26)}` as TaskId, branch: 'x', start: 'a'.repeat(40) } as const;
const source: SetupSource = { trust: 'own', toolchain: 't', commit: 'a'.repeat(40), tree: 'a'.repeat(40) };
const made = (from: Partial<SetupSource>) => ({
  setup: { command: 'npm ci', paths: ['node_modules'], fingerprint: 'f', source: { ...source, ...from } },
});

/** A fleet whose project has these free workspaces, numbered from one. */
async function houseWith(free: readonly Partial<Workspace>[]): Promise<WorkDeps> {
  const { needs, now } = engineHouse();
  const at = now();
  await needs.store.commit(
    free.map((one, n) => {
      const id = `ws_${n + 1}` as WorkspaceId;
      const rest = { host: 'here', isolation: 'worktree', use: { kind: 'free' }, state: 'ready' } as const;
      const row: Workspace = { id, n: n + 1, projectId, path: `/w/${n + 1}`, ...rest, createdAt: at, updatedAt: at, ...one };
      return workspaces.put(row, 'absent');
    }),
  );
  const gitWork = {
    pathOf: (_project: Project, n: number) => `/w/${n}`,
    setupSource: async (_project: Project, asked: Partial<SetupSource>) => ({ ...source, ...asked }),
  };
  return { ...needs, gitWork } as unknown as WorkDeps;
}

const chosen = async (free: readonly Partial<Workspace>[], wish: Partial<Parameters<typeof allocate>[1]> = {}) =>
  (await allocate(project, { isolation: 'worktree', trust: 'own', use, ...wish }, await houseWith(free))).workspace;

describe('a free workspace', () => {
  it('is handed only to a use of its own level of trust, and of its own isolation [WORK-03]', async () => {
    expect((await chosen([{ trust: 'own' }])).id).toBe('ws_1');
    expect((await chosen([{}])).id).toBe('ws_1');
    expect((await chosen([{ trust: 'sandboxed' }, { trust: 'apart' }])).id).toBe('ws_3');
    expect((await chosen([{}, { trust: 'own' }], { trust: 'sandboxed' })).id).toBe('ws_3');
    expect((await chosen([{ trust: 'own' }, { trust: 'sandboxed' }], { trust: 'sandboxed' })).id).toBe('ws_2');
    const clone = { isolation: 'clone' } as const;
    expect((await chosen([clone], { trust: 'apart' })).id).toBe('ws_2');
    expect((await chosen([clone], { ...clone, trust: 'apart' })).id).toBe('ws_1');
    expect((await chosen([{ ...clone, trust: 'apart' }], { ...clone, trust: 'sandboxed' })).id).toBe('ws_2');
  });

  it('is marked with the level it serves', async () => {
    expect((await chosen([{}])).trust).toBe('own');
    expect((await chosen([{}], { trust: 'sandboxed' })).trust).toBe('sandboxed');
  });

  it('is chosen for what its set-up made, and else so that this is not lost for others', async () => {
    const other = made({ tree: 'b'.repeat(40) });
    expect((await chosen([other, made({})])).id).toBe('ws_2');
    expect((await chosen([other, {}])).id).toBe('ws_2');
    expect((await chosen([other, made({ toolchain: 'u' })])).id).toBe('ws_1');
    expect((await chosen([{ ...made({}), trust: 'sandboxed' }], {})).id).toBe('ws_2');
  });
});
