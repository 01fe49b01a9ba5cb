import type { Output } from '../contract/call.ts';
import { scopesOf } from '../domain/hold/hold.ts';
import { type Obstacle, obstacleTo } from '../domain/hold/obstacle.ts';
import { type Lane, laneFromKey } from '../domain/task/lane.ts';
import { laneHeads } from '../store/queries/lanes.ts';
import { holds } from '../store/records/holds.ts';
import { projects } from '../store/records/projects.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import type { Scope } from './scope.ts';

type HeldUp = Output<'fleet.status'>['heldUp'][number];

/** Lanes looked at, and tasks counted in each of them: a glance, not a census. */
const LANES = 100;
const COUNTED = 100;

/** Queued work that is not being started here, by what stands in its way. */
export async function heldUp(scope: Scope): Promise<HeldUp[]> {
  const { reads, dispatching } = scope;
  const [heads, capacity, startable] = await Promise.all([
    laneHeads(reads, LANES),
    dispatching.capacity(),
    dispatching.startable(),
  ]);
  const found = new Map<string, HeldUp>();
  for (const { lane: key, head } of heads) {
    const named = laneFromKey(key);
    const lane = { ...named, executor: await executorOf(named, scope) };
    const scopes = scopesOf(lane, capacity);
    const taken = new Map(
      await Promise.all(
        scopes.map(async (one) => [one.scope, (await holds.get(reads, one.scope))?.body.holders.length ?? 0] as const),
      ),
    );
    const obstacle = obstacleTo(lane, { startable, scopes, taken: (one) => taken.get(one) ?? 0 });
    if (!obstacle) continue;
    const why = await words(obstacle, lane, scope);
    const count = (await reads.scan({ index: taskIndex.ready, from: `${key}/`, to: `${key}0`, limit: COUNTED })).length;
    const before = found.get(why);
    found.set(why, {
      why,
      tasks: (before?.tasks ?? 0) + count,
      atLeast: before?.atLeast === true || count === COUNTED || heads.length === LANES,
      first: before?.first ?? tasks.read(head).id,
    });
  }
  return [...found.values()];
}

const executorOf = async ({ executor, place }: Lane, { dispatching }: Scope): Promise<string> =>
  executor === 'default' ? (await dispatching.defaults(place.kind === 'project' ? place.id : undefined)).executor : executor;

async function words(obstacle: Obstacle, lane: Lane, { reads }: Scope): Promise<string> {
  if (obstacle.kind === 'executor')
    return `no executor ${obstacle.executor} can be started on this machine: see fleet doctor, or give it another with task edit --executor`;
  if (obstacle.kind === 'placement') return 'work in a tree of its own cannot be started on this machine: set isolation=in_place';
  const { scope, max } = obstacle;
  const runs = `${max} of ${max} ${max === 1 ? 'run is' : 'runs are'} at work`;
  const [kind = '', name = ''] = scope.split(/:(.*)/s);
  if (kind === 'fleet') return `${runs}: max_concurrent`;
  if (kind === 'place') return `one run at a time works in ${await placeName(lane, reads)}`;
  if (kind === 'project') return `${runs} in project ${await placeName(lane, reads)}: limit_project, or its own max_concurrent`;
  return `${runs} for ${name}: limit_${kind}`;
}

const placeName = async ({ place }: Lane, reads: Scope['reads']): Promise<string> =>
  place.kind === 'project' ? ((await projects.get(reads, place.id))?.body.name ?? place.id) : place.id;
