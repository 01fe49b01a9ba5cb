import type { Capacity } from '../../src/domain/hold/hold.ts';
import { isFinal, type Task } from '../../src/domain/task/task.ts';
import type { RunId } from '../../src/domain/values.ts';
import { makeUlids } from '../../src/platform/ids.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { memoryHouse, NOON } from '../support/memory-house.ts';
import { Host, type World } from './host.ts';
import { Invariants, must } from './invariants.ts';
import { InvariantBroken, Network } from './network.ts';
import { People } from './people.ts';
import { Random } from './random.ts';

const CAPACITY: Capacity = { fleet: 3, executor: { codex: 1 }, account: {}, project: {} };
const limitOf = (scope: string): number =>
  scope === 'fleet' ? 3 : scope.startsWith('executor:codex') || scope.startsWith('place:') ? 1 : 1_000;

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Some engines, some people, one store, and everything that can go wrong between them, all decided by the seed. */
export async function simulate(seed: number, steps: number): Promise<{ tasks: number }> {
  const random = new Random(seed);
  const disk = new MemoryDisk();
  const invariants = new Invariants(disk, limitOf);
  let broken: Error | undefined;
  let commits = 0;
  const network = new Network(disk, random, (writes) => {
    commits += 1;
    try {
      invariants.check(writes);
    } catch (error) {
      broken ??= error as Error;
    }
  });
  const clock = { ms: NOON };
  const ulid = makeUlids(() => clock.ms, random.next);
  const world: World = { network, random, clock, capacity: CAPACITY, agents: new Map(), runId: () => `run_${ulid()}` as RunId };
  const hosts = Array.from({ length: 2 + random.below(2) }, (_, index) => new Host(world, `host${index}`));
  const house = memoryHouse({ store: network.handle({ alive: true }), random: random.next, clock });
  for (const path of ['/other', '/third']) house.places.set(path, { kind: 'directory', path });
  const people = new People(house.call, random);

  for (let step = 0; step < steps && !broken; step += 1) {
    weather(step, hosts, people, world);
    for (let deliveries = random.below(6); deliveries > 0; deliveries -= 1) network.step();
    await tick();
  }
  await calm(hosts, people, world, { stop: () => broken !== undefined, commits: () => commits });
  if (broken) throw new InvariantBroken(broken.message, { cause: broken });
  settledWell(people, disk);
  return { tasks: people.accepted.length };
}

function weather(step: number, hosts: readonly Host[], people: People, { random, clock }: World): void {
  clock.ms += random.below(400);
  const host = random.pick(hosts);
  const dice = random.next();
  if (dice < 0.25 && step < 150) people.act();
  else if (dice < 0.85) host.work();
  else if (dice < 0.93) host.endAgents(['succeeded', 'succeeded', 'crashed', 'refused', 'rate_limited', 'blocked'], 0.7);
  else if (dice < 0.96) host.restart();
  else if (dice < 0.97) host.reboot();
  else if (dice < 0.985) host.skewMs = random.pick([0, 3_600_000, -3_600_000, 250, -250]);
}

/** The wire heals, the clocks agree, agents succeed: whatever was accepted must come to an end now. */
async function calm(
  hosts: readonly Host[],
  people: People,
  world: World,
  { stop, commits }: { stop: () => boolean; commits: () => number },
): Promise<void> {
  world.network.faulty = false;
  for (const host of hosts) host.skewMs = 0;
  let quiet = 0;
  for (let round = 0; round < 1_000 && !stop(); round += 1) {
    const before = commits();
    world.clock.ms += 600_000;
    for (const host of hosts) {
      host.endAgents(['succeeded'], 1);
      host.workAll();
    }
    let deliveries = 0;
    do {
      for (let n = 0; n < 20; n += 1) world.network.step();
      await tick();
      deliveries += 1;
    } while ((world.network.busy || people.waiting) && deliveries < 500 && !stop());
    quiet = commits() === before ? quiet + 1 : 0;
    if (quiet === 12) break;
  }
}

/** Nothing accepted is lost, nothing is stuck, nothing is still occupied. */
function settledWell(people: People, disk: MemoryDisk): void {
  for (const id of people.accepted) {
    const task = disk.get({ kind: 'task', id })?.body as Task | undefined;
    must(task !== undefined || people.deleted.has(id), `every accepted task is there: ${id}`);
    if (!task) continue;
    const { phase } = task;
    const mayRest =
      isFinal(phase) ||
      phase.state === 'draft' ||
      phase.state === 'blocked' ||
      (phase.state === 'running' && phase.holder.kind === 'claim');
    must(mayRest || waitsForRest(task, disk), `nothing is stuck: ${id} is ${JSON.stringify(phase)}`);
    must(!task.untold, `everybody has heard: ${id}`);
  }
  for (const scope of ['fleet', 'executor:codex', 'place:/plain', 'place:/other', 'place:/third']) {
    const holders = (disk.get({ kind: 'hold', id: scope })?.body as { holders: string[] } | undefined)?.holders ?? [];
    must(holders.length === 0, `nothing is occupied at the end: ${scope} by ${holders.join()}`);
  }
}

/** A task may wait at the end only for one that rests for a person's sake. */
function waitsForRest({ phase }: Task, disk: MemoryDisk): boolean {
  if (phase.state !== 'waiting' || phase.on.length === 0) return false;
  return phase.on.some((id) => {
    const task = disk.get({ kind: 'task', id })?.body as Task | undefined;
    if (!task) return false;
    const { state } = task.phase;
    return (
      state === 'draft' ||
      state === 'blocked' ||
      (state === 'running' && task.phase.holder.kind === 'claim') ||
      waitsForRest(task, disk)
    );
  });
}
