import { describe, expect, it } from 'vitest';
import { contract } from '../src/contract/index.ts';
import { taskIndex, tasks } from '../src/store/records/tasks.ts';
import { HELD, NARROWED, STARTS_NOTHING } from './laws/bounded-operations.ts';
import { withRuns } from './support/run-house.ts';
import { refused } from './support/shop.ts';

const commands = contract.filter(({ kind }) => kind === 'command').map(({ name }) => name);

/** Every task, but for what its history tells of refusals. */
const standing = async ({ store }: Awaited<ReturnType<typeof withRuns>>) =>
  (await store.scan({ index: taskIndex.all, limit: 100 })).map((hit) => ({ ...tasks.read(hit), seq: 0, refusals: 0 }));

describe('every command', () => {
  it('is either held to the bounds of what may be started, or says why it starts nothing [API-07]', () => {
    const undecided = commands.filter((name) => !(name in HELD) && !(name in STARTS_NOTHING));
    expect(undecided, 'decide in test/laws/bounded-operations.ts').toEqual([]);
    const known = [...Object.keys(HELD), ...Object.keys(STARTS_NOTHING)];
    expect(known.filter((name) => !commands.some((one) => one === name))).toEqual([]);
    expect(Object.keys(HELD).filter((name) => name in STARTS_NOTHING)).toEqual([]);
  });

  it('that only an owner may call is called by nobody else', async () => {
    const house = await withRuns();
    const owned = Object.entries(STARTS_NOTHING).flatMap(([name, why]) => (why.startsWith('only the owner') ? [name] : []));
    for (const name of owned)
      for (const role of ['team-lead', 'coordinator', 'worker', 'merger'] as const) {
        const call = house.as('x', role) as (...all: unknown[]) => Promise<unknown>;
        expect([name, role, (await refused(call(name, {}))).code]).toEqual([name, role, 'forbidden']);
      }
    const team = house.as('x', 'admin', { team: 'web' });
    expect((await refused(team('config.set', { assignments: ['bounds_role.worker.executors='] }))).code).toBe('forbidden');
  });

  for (const [name, attempts] of Object.entries(HELD))
    it(`${name} is refused where it would start what the bounds do not allow, and changes nothing [API-07]`, async () => {
      for (const { prepare, attempt } of attempts) {
        const house = await withRuns();
        const prepared = (await prepare?.(house)) ?? '';
        house.settings.bounds_role = NARROWED;
        house.settings.executor = 'claude';
        const before = await standing(house);
        expect(await refused(attempt(house, prepared))).toMatchObject({
          code: 'forbidden',
          message: expect.stringContaining('the bounds of'),
        });
        expect(await standing(house)).toEqual(before);
      }
    });
});
