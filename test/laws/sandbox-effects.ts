import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '../../src/app/home.ts';
import { limitsOf } from '../../src/app/sandbox/limits-of.ts';
import { runAs } from '../../src/app/sandbox/run-as.ts';
import { viewOf } from '../../src/app/sandbox/view.ts';
import type { Settings } from '../../src/domain/settings.ts';
import { memoryHouse } from '../support/memory-house.ts';

type Some = Partial<Settings>;

export async function inDirectory<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  const path = mkdtempSync(join(tmpdir(), 'fleet-settings-'));
  try {
    return await work(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** What a run in a sandbox sees, with the directory it was tried in left out of the paths. */
export const inSandbox = (settings: Some) =>
  inDirectory(async (path) => {
    const at = (name: string) => {
      mkdirSync(join(path, name), { recursive: true });
      return join(path, name);
    };
    at('somebody/.cargo');
    const run = at('home/runs/run_1');
    const values = { ...memoryHouse().settings, ...settings };
    const env = { HOME: at('somebody'), PATH: '/usr/bin' };
    const seen = await viewOf({
      paths: homePaths({ FLEET_HOME: at('home') }, '/'),
      settings: values,
      taskId: 'task_1',
      runDirectory: run,
      ground: { kind: 'place' },
      executor: undefined,
      isChore: false,
      start: { mode: 'oneway', command: '/bin/true', args: [], directory: at('work'), env, files: [], steps: [] },
      ours: [],
    });
    return JSON.parse(JSON.stringify(seen).replaceAll(path, '')) as unknown;
  });

/** For a run that changes nothing but what is Fleet's, and for one that is to change what is root's. */
export const asWhom = async (settings: Some) => {
  const values = { ...memoryHouse().settings, ...settings };
  const mounts = [[], [{ from: '/usr', at: '/usr', as: 'write' }]] as const;
  return Promise.all(mounts.map((some) => runAs(values, { mounts: some, home: '/nowhere/home' }, true)));
};

/** What a run in a sandbox may take of the machine. */
export const ofMachine = async (settings: Some) => {
  const view = {
    machine: { directories: [], links: [] },
    hidden: [],
    mounts: [],
    directory: '/work',
    network: 'own',
    memoryBytes: 1,
  } as const;
  return limitsOf({ ...memoryHouse().settings, ...settings }, { view, own: [] });
};
