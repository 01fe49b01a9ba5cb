import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

let house: WorkHouse;
beforeAll(async () => {
  house = await workHouse([], { settings: ['max_concurrent=10', 'stall_seconds=5'] });
});
afterAll(() => house?.[Symbol.asyncDispose]());

const QUIET = ['--no-expects-changes', '--integration', 'none'];
interface Cost {
  readonly withParts?: { readonly costUsd?: number };
}
const costOf = async (id: string) => (await house.ok(['task', 'cost', id, '--json'])).json<Cost>().withParts?.costUsd ?? 0;

describe('the budget of a task, wanted several times by parts', () => {
  it('is there once for all of them together, at once and one below the other [RUN-08]', async () => {
    const top = await house.create('spend 10 10 $0.5\ndone', '--max-budget-usd', '1', ...QUIET);
    expect((await house.rest(top)).phase.state).toBe('done');
    // Each by itself would stay far below a dollar.
    const greedy = 'spend 10 10 $0.3\nhang';
    const parts = [await house.create(greedy, '--parent', top, ...QUIET), await house.create(greedy, '--parent', top, ...QUIET)];
    for (const { phase } of await house.rested(parts, 120))
      expect(phase).toMatchObject({ state: 'blocked', block: { cause: 'budget', what: expect.stringContaining('together') } });
    const spent = await costOf(top);
    expect(spent).toBeCloseTo(1.1);
    // Nothing is left for whoever comes later, nor below one of them.
    const later = [await house.create('spend 10 10 $0.3\ndone', '--parent', top, ...QUIET)];
    later.push(await house.create('spend 10 10 $0.3\ndone', '--parent', parts[0] ?? '', ...QUIET));
    for (const { phase } of await house.rested(later, 120)) expect(phase).toMatchObject({ block: { cause: 'budget' } });
    expect(await costOf(top)).toBe(spent);
    expect((await house.ok(['task', 'cost', top])).out).toContain('$1.10 with its parts');
    // Its owner may let them go on.
    expect((await house.fleet(['task', 'edit', top, '--title', 'other'])).code).toBe(4);
    await house.ok(['task', 'edit', top, '--max-budget-usd', '5']);
    await house.ok(['task', 'resume', later[0] ?? '']);
    expect((await house.rest(later[0] ?? '')).phase.state).toBe('done');
  });
});
