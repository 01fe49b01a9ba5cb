import type { OutputOf } from '../../contract/call.ts';
import { accountRefOf, DEFAULT_ACCOUNT, executorRefOf } from '../../domain/hold/account.ts';
import { type DiskShortage, shortageText } from '../../domain/hold/disk-room.ts';
import { type Capacity, scopesOf } from '../../domain/hold/hold.ts';
import { type Obstacle, obstacleTo } from '../../domain/hold/obstacle.ts';
import { pauseId } from '../../domain/hold/pause.ts';
import { type Lane, laneFromKey, laneOf } from '../../domain/task/lane.ts';
import type { Task } from '../../domain/task/task.ts';
import { laneHeads } from '../../store/queries/lanes.ts';
import { holds } from '../../store/records/holds.ts';
import { pauses } from '../../store/records/pauses.ts';
import { projects } from '../../store/records/projects.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import type { Dispatching, ExecutorProblem, Scope } from '../scope.ts';
import { problemText } from './doable.ts';

type HeldUp = OutputOf<'fleet.status'>['heldUp'][number];

/** Lanes looked at, and tasks counted in each of them: a glance, not a census. */
const LANES = 100;
const COUNTED = 100;

/** Queued work that is not being started here, by what stands in its way. */
export async function heldUp(scope: Scope): Promise<HeldUp[]> {
  const { reads } = scope;
  const [heads, around] = await Promise.all([laneHeads(reads, LANES), surroundings(scope)]);
  const found = new Map<string, HeldUp>();
  for (const { lane: key, head } of heads) {
    const why = await whyNot(laneFromKey(key), around, scope);
    if (why === undefined) continue;
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

/** Why one task is not being started; undefined when it will be in a moment, or when it does not wait to be. */
export const heldUpBy = async (task: Task, scope: Scope): Promise<string | undefined> => (await hindranceOf(task, scope))?.why;

export interface Hindrance {
  readonly why: string;
  /** It does not end by itself: no run that ends and no hour that comes makes a difference. */
  readonly isLasting: boolean;
  /** A person can end it, and nothing else will soon: whoever waits is told. */
  readonly isTold: boolean;
}

export async function hindranceOf(task: Task, scope: Scope): Promise<Hindrance | undefined> {
  if (task.phase.state !== 'queued') return undefined;
  const lane = await effectiveLane(laneOf(task), scope);
  const obstacle = await obstacleIn(lane, await surroundings(scope), scope);
  const isLasting = obstacle?.kind === 'executor' || obstacle?.kind === 'placement';
  return obstacle && { why: await words(obstacle, lane, scope), isLasting, isTold: isLasting || obstacle.kind === 'disk' };
}

interface Surroundings {
  readonly capacity: Capacity;
  readonly startable: Awaited<ReturnType<Dispatching['startable']>>;
  readonly short: DiskShortage | undefined;
}

async function surroundings({ dispatching }: Scope): Promise<Surroundings> {
  const [capacity, startable, short] = await Promise.all([
    dispatching.capacity(),
    dispatching.startable(),
    dispatching.diskShort(),
  ]);
  return { capacity, startable, short };
}

async function whyNot(named: Lane, around: Surroundings, scope: Scope): Promise<string | undefined> {
  const lane = await effectiveLane(named, scope);
  const obstacle = await obstacleIn(lane, around, scope);
  return obstacle && words(obstacle, lane, scope);
}

const effectiveLane = async (named: Lane, scope: Scope): Promise<Lane> => ({
  ...named,
  ...accountRefOf(await executorOf(named, scope)),
});

async function obstacleIn(
  lane: Lane,
  { capacity, startable, short }: Surroundings,
  { reads, now }: Scope,
): Promise<Obstacle | undefined> {
  const scopes = scopesOf(lane, capacity);
  const [pause, ...counts] = await Promise.all([
    pauses.get(reads, pauseId(lane)),
    ...scopes.map(async (one) => [one.scope, (await holds.get(reads, one.scope))?.body.holders.length ?? 0] as const),
  ]);
  const taken = new Map(counts);
  return obstacleTo(lane, {
    canStart: startable,
    scopes,
    countHolders: (one) => taken.get(one) ?? 0,
    pause: pause?.body,
    short,
    now,
  });
}

const executorOf = async ({ place, ...lane }: Lane, { dispatching }: Scope): Promise<string> =>
  lane.executor === 'default'
    ? (await dispatching.defaults(place.kind === 'project' ? place.id : undefined)).executor
    : executorRefOf(lane);

async function words(obstacle: Obstacle, lane: Lane, { reads, executors }: Scope): Promise<string> {
  if (obstacle.kind === 'executor') return absent(obstacle.executor, await executors.unready(obstacle.executor));
  if (obstacle.kind === 'placement') return 'work in a tree of its own cannot be started on this machine: set isolation=in_place';
  if (obstacle.kind === 'disk') return shortageText(obstacle.short);
  if (obstacle.kind === 'paused') {
    const { executor, account, until, why } = obstacle.pause;
    const which = account === DEFAULT_ACCOUNT ? '' : ` --account ${account}`;
    return `${executor} is paused until ${until}: ${why}; \`fleet pause lift ${executor}${which}\` ends that`;
  }
  const { scope, max } = obstacle;
  const runs = `${max} of ${max} ${max === 1 ? 'run is' : 'runs are'} at work`;
  const [kind = '', name = ''] = scope.split(/:(.*)/s);
  if (kind === 'fleet') return `${runs}: max_concurrent`;
  if (kind === 'place') return `one run at a time works in ${await placeName(lane, reads)}`;
  if (kind === 'project') return `${runs} in project ${await placeName(lane, reads)}: limit_project, or its own max_concurrent`;
  return `${runs} for ${name}: limit_${kind}`;
}

function absent(executor: string, unready: ExecutorProblem | undefined): string {
  const why = unready ? `: ${problemText(unready)}` : '';
  return `no executor ${executor} can be started on this machine${why}; or give it another with fleet task edit ID --executor NAME`;
}

const placeName = async ({ place }: Lane, reads: Scope['reads']): Promise<string> =>
  place.kind === 'project' ? ((await projects.get(reads, place.id))?.body.name ?? place.id) : place.id;
