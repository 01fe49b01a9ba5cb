import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { homePaths } from './home.ts';
import { dropLeftovers } from './leftovers.ts';

const RUN = 'run_01m7hc1282k88jen33t581e7bp';
const TASK = 'task_01m7hc10bzycgjrvdmabkp692d';

it('removes what belongs to no row, and neither what is not of Fleet nor what a link there leads to [T13]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-left-'));
  try {
    const paths = homePaths({ FLEET_HOME: join(folder, 'home') }, folder);
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'kept'), 'kept');
    await mkdir(join(paths.runs, RUN, 'box'), { recursive: true });
    await symlink(join(folder, 'outside'), join(paths.runs, RUN, 'box', 'away'));
    await mkdir(join(paths.tasks, 'of a person'), { recursive: true });
    await symlink(join(folder, 'outside'), join(paths.tasks, TASK));
    expect(await dropLeftovers(openMemoryStore(), paths)).toBe(2);
    expect([await readdir(paths.runs), await readdir(paths.tasks)]).toEqual([[], ['of a person']]);
    expect(await readFile(join(folder, 'outside', 'kept'), 'utf8')).toBe('kept');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
