import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { bundlePrograms } from '../../platform/bundle.ts';
import type { Site } from '../site.ts';
import type { IntakeBounds } from './bounds.ts';
import type { CollectorRequest } from './collector-wire.ts';
import { privateMounts, privatePlaces } from './places.ts';

/** One thing that is seen in a box, at the same or another place. */
export interface BoxMount {
  readonly from: string;
  readonly at: string;
  readonly as: 'read' | 'write';
}

/** A program of Fleet's, and all that it may see. */
export interface Box {
  readonly mounts: readonly BoxMount[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Places of its program that may lie elsewhere than the system's programs do. */
  readonly programs: readonly string[];
}

/**
 * Starts a program in a sandbox without network, with four streams: nothing, and pipes for output, errors and answer. It ends
 * with SIGKILL. Undefined: no sandbox can be made here.
 */
export type Confine = (box: Box) => Promise<ChildProcess | undefined>;

/** How Fleet looks at what an agent made. */
export interface Means {
  /** Absent: there is no sandbox. Then only clones of agents that have none either are looked at. */
  readonly confine?: Confine | undefined;
  /** How long one look at a clone may take, and within it one look at its git directory. */
  readonly patienceMs?: number | undefined;
  readonly lookMs?: number | undefined;
  /** Other than those of the house: for tests. */
  readonly bounds?: Partial<IntakeBounds> | undefined;
}

/** Of each process, the collector and its gits: what they read may ask for any amount. */
const LIMITED = `ulimit -c 0; ulimit -v ${LIMITS.collectorMemoryBytes.value / 1_024} 2>/dev/null; exec "$@"`;
const STREAMS = ['ignore', 'pipe', 'pipe', 'pipe'] as const;

/** The collector of one site. Whoever reads its streams also ends it. */
export async function startCollector(site: Site, wish: CollectorRequest, { confine }: Means): Promise<ChildProcess> {
  const { scratch, env } = wish;
  const program = fileURLToPath(collectorUrl());
  const told = join(scratch, 'wish.json');
  await writeFile(told, JSON.stringify(wish));
  const command = ['/bin/sh', '-c', LIMITED, 'fleet', process.execPath, program, told];
  const box: Box = {
    mounts: mountsOf(site, scratch),
    directory: site.path,
    env,
    command,
    programs: [process.execPath, dirname(program)],
  };
  const confined = await confine?.(box);
  if (confined) return confined;
  if (privatePlaces(site).agentGit !== privatePlaces(site).dotGit)
    throw new Fault(
      'unavailable',
      `what a sandboxed agent left in ${site.path} is only looked at in a sandbox, and none can be made`,
      {
        path: site.path,
      },
    );
  // A group of its own ends as one.
  return spawn('/bin/sh', command.slice(1), { cwd: site.path, env: { ...env }, stdio: [...STREAMS], detached: true });
}

function mountsOf(site: Site, scratch: string): BoxMount[] {
  const mounts = privateMounts(site);
  const { store, excludes } = privatePlaces(site);
  if (!mounts) throw new Error(`${site.path} is no private clone`);
  const read = (from: string, at = from): BoxMount => ({ from, at, as: 'read' });
  return [
    read(mounts.tree),
    ...(mounts.agentGit === mounts.at ? [] : [read(mounts.agentGit, mounts.at)]),
    read(mounts.objects.from, mounts.objects.at),
    ...[store, excludes, ownIndexOf(site)].filter((path) => existsSync(path)).map((path) => read(path)),
    { from: scratch, at: scratch, as: 'write' },
  ];
}

const ownIndexOf = (site: Site): string => `${dirname(privatePlaces(site).store)}/index`;

let bundled: URL | undefined;

/** In the bundle it lies beside its caller; in the sources it is made into one file first. */
function collectorUrl(): URL {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= new URL('collector.mjs', bundlePrograms({ collector: new URL('./collector.ts', import.meta.url) }));
    return bundled;
  }
  const beside = new URL('./collector.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../collector.mjs', import.meta.url);
}
