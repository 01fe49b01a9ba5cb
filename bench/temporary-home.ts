import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { initHome } from '../src/app/home.ts';
import { type FleetServices, openServices } from '../src/app/open-services.ts';
import type { Project } from '../src/domain/project/project.ts';
import { projectNames, projects } from '../src/store/records/projects.ts';

/** Beside the checkout: `/tmp` may be memory, where a flush costs nothing and proves nothing. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/fleet-bench/', import.meta.url));

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/**
 * An ext4 without a journal passes over every inode that was deleted near by in the last minutes: what tests and earlier
 * benchmarks removed would make each new file up to fifty times dearer. Marked like this, each home gets a stretch of the
 * disk to itself. Elsewhere the mark is refused, and not needed.
 */
const spreadHomes = () => void spawnSync('chattr', ['+T', CACHE], { stdio: 'ignore' });

export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  await mkdir(CACHE, { recursive: true });
  spreadHomes();
  const path = await mkdtemp(join(CACHE, 'home-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface TemporaryHouse extends AsyncDisposable {
  readonly house: FleetServices;
  readonly project: Project;
}

/** The house as the program opens it, in a home of its own, with one project. */
export async function temporaryHouse(env: Readonly<Record<string, string>> = {}): Promise<TemporaryHouse> {
  const directory = await temporaryDirectory();
  const house = await openServices({ FLEET_SCRIPTED: 'true', ...env, FLEET_HOME: directory.path }, directory.path);
  await initHome(house.paths);
  const project = await addProject(house, 'shop');
  return {
    house,
    project,
    [Symbol.asyncDispose]: async () => {
      await house.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Written directly: where its repository lies does not matter here. */
export async function addProject({ store, ids, now, paths }: FleetServices, name: string): Promise<Project> {
  const at = now();
  const project: Project = {
    id: ids.project(),
    seq: 1,
    name,
    description: `the repository ${name}`,
    path: join(paths.path, name),
    kind: 'repository',
    targetBranch: 'main',
    verify: 'npm test',
    copyFiles: [],
    mcpServers: {},
    createdAt: at,
    createdBy: 'you',
    updatedAt: at,
  };
  await store.commit([projects.put(project, 'absent'), projectNames.put({ name, projectId: project.id }, 'absent')]);
  return project;
}
