import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CGROUP_FILES } from './cgroup-files.ts';
import { type CgroupLook, type CgroupPlace, cgroupPlace, type LimitController, OUTSIDE, wordsOf } from './cgroup-place.ts';
import type { SandboxLimits } from './limits.ts';
import { tooManyTasks, tooMuchMemory } from './too-much.ts';

/** A group of the kernel's that holds one sandbox to its limits. */
export interface SandboxGroup {
  /** Whoever writes its own number there is in it, and all it starts. */
  readonly door: string;
  readonly held: readonly LimitController[];
  /** What the kernel ended it for. */
  endedFor(): string | undefined;
  /** What the kernel refused to it or ended it for. */
  tooMuch(): string | undefined;
  /** Ends what is in it; resolves when it is gone, or when that takes too long to wait for. */
  end(): Promise<void>;
}

/** One that has no limit of its own has this share beside another that is in no sandbox and has 100: that of nice 5. */
const WEIGHT = 33;
const PERIOD_US = 100_000;
const MOST_TRIES = 20;
const END_MS = 2_000;
const NAME = /^fleet-sandbox-(\d+)-[0-9a-f]+$/;

/** Where a step is refused there is none, and why. */
export function makeSandboxGroup(limits: SandboxLimits, look: CgroupLook = {}): SandboxGroup | { readonly why: string } {
  const place = cgroupPlace(look);
  if ('why' in place) return place;
  const group = join(place.base, `fleet-sandbox-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    removeLeft(place.base, look);
    const held = handedOn(place, look);
    filesOf(look).mkdir(group);
    for (const controller of held) hold(group, { controller, limits }, look);
    return groupAt(group, { held, limits }, look);
  } catch (error) {
    attempt(() => filesOf(look).rmdir(group));
    return { why: `the kernel refused a cgroup in ${place.base}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const filesOf = ({ files = CGROUP_FILES }: CgroupLook) => files;

/** Those whose owner was killed: nobody is in them any more. One with a process in it cannot be removed. */
function removeLeft(base: string, look: CgroupLook): void {
  const files = filesOf(look);
  for (const name of files.names(base)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && files.read(join(look.root ?? '/', 'proc', owner, 'stat')) === '')
      attempt(() => files.rmdir(join(base, name)));
  }
}

/** The controllers that groups below have from now on. A process may begin another one while they are led out. */
function handedOn({ base, controllers, isToBeLeft }: CgroupPlace, look: CgroupLook): LimitController[] {
  const files = filesOf(look);
  const control = join(base, 'cgroup.subtree_control');
  const handOn = () => {
    for (const name of controllers) attempt(() => files.write(control, `+${name}`));
    const now = wordsOf(files.read(control));
    return controllers.filter((name) => now.includes(name));
  };
  if (!isToBeLeft) return orThrow(handOn());
  attempt(() => files.mkdir(join(base, OUTSIDE)));
  for (let n = 0; n < MOST_TRIES; n += 1) {
    for (const pid of wordsOf(files.read(join(base, 'cgroup.procs'))))
      attempt(() => files.write(join(base, OUTSIDE, 'cgroup.procs'), pid));
    const held = handOn();
    if (held.length > 0) return held;
  }
  return orThrow([]);
}

function orThrow(held: LimitController[]): LimitController[] {
  if (held.length === 0) throw new Error('no controller is handed on');
  return held;
}

interface Held {
  readonly controller: LimitController;
  readonly limits: SandboxLimits;
}

function hold(group: string, { controller, limits }: Held, look: CgroupLook): void {
  const files = filesOf(look);
  const set = (name: string, value: string | number) => files.write(join(group, name), String(value));
  if (controller === 'memory') {
    set('memory.max', limits.memoryBytes);
    set('memory.oom.group', 1);
    // Not there where the kernel does not count swap; what is in it is measured.
    attempt(() => set('memory.swap.max', 0));
  } else if (controller === 'pids') {
    // One is bubblewrap itself, which is not the agent's.
    set('pids.max', limits.tasks + 1);
  } else {
    set('cpu.weight', WEIGHT);
    if (limits.cpus !== undefined) set('cpu.max', `${limits.cpus * PERIOD_US} ${PERIOD_US}`);
  }
}

function groupAt(group: string, { held, limits }: Pick<SandboxGroup, 'held'> & Pick<Held, 'limits'>, look: CgroupLook) {
  const files = filesOf(look);
  const count = (file: string, name: string): number =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(files.read(join(group, file)))?.[1] ?? 0);
  const most = (...names: string[]): number => Math.max(...names.map((name) => Number(files.read(join(group, name))) || 0));
  // A machine without memory ends it too, and that is not for its own limit.
  const endedFor = () =>
    count('memory.events', 'oom') > 0 && count('memory.events', 'oom_kill') > 0
      ? tooMuchMemory(Math.max(limits.memoryBytes, most('memory.peak')), limits)
      : undefined;
  // Older kernels count here too what a group around this one refuses.
  const refused = () =>
    count('pids.events', 'max') > 0 && most('pids.peak', 'pids.current') > limits.tasks
      ? `${tooManyTasks(limits.tasks, limits)}, and the kernel refused it more`
      : undefined;
  const end = async () => {
    attempt(() => files.write(join(group, 'cgroup.kill'), '1'));
    for (const until = performance.now() + END_MS; performance.now() < until; await sleep(10)) {
      attempt(() => files.rmdir(group));
      if (files.names(group).length === 0) return;
    }
  };
  return { door: join(group, 'cgroup.procs'), held, endedFor, tooMuch: () => endedFor() ?? refused(), end };
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // What comes next sees whether it was done.
  }
}
