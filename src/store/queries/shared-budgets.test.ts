import { describe, expect, it } from 'vitest';
import { withRuns } from '../../../test/support/run-house.ts';
import { overSharedBudget } from '../../domain/run/budget.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { runs } from '../records/runs.ts';
import { tasks } from '../records/tasks.ts';
import { budgetsBefore, sharedBudgets, takenBy } from './shared-budgets.ts';

const usage = (costUsd: number) => ({ inputTokens: costUsd * 1_000, outputTokens: 0, cachedTokens: 7, costUsd });

async function family() {
  const house = await withRuns();
  const stored = async (id: string): Promise<Task> => {
    const seen = await tasks.get(house.store, id);
    if (!seen) throw new Error(`no task ${id}`);
    return seen.body;
  };
  const spend = async (id: string, costUsd: number) => {
    const seen = await tasks.get(house.store, id);
    if (seen) await house.store.commit([tasks.put({ ...seen.body, usage: usage(costUsd) }, seen.version)]);
  };
  const create = async (wish: object) => (await house.call('task.create', { project: 'shop', prompt: 'x', ...wish })).id;
  const over = async (id: string) => overSharedBudget(await sharedBudgets(await stored(id), house));
  return { ...house, stored, spend, make: create, over };
}

describe('the budget of a task with parts', () => {
  it('is taken from by it, its parts and theirs, and by those that run now [RUN-08]', async () => {
    const house = await family();
    const top = await house.make({ maxBudgetUsd: 2, maxTokens: 10_000 });
    const [one, two] = [await house.make({ parent: top }), await house.make({ parent: top, maxBudgetUsd: 1 })];
    const below = await house.make({ parent: one });
    await house.spend(top, 0.5);
    await house.spend(one, 0.5);
    await house.spend(below, 0.25);
    expect(await house.over(below)).toBeUndefined();
    const { runId } = await house.begin(two);
    const running = await runs.get(house.store, runId);
    if (!running) throw new Error('it has not begun');
    const nothing = { offset: 0, lines: 0, events: 0, droppedBytes: 0, activeMs: 0, lastWords: '', skipping: false, state: null };
    const watch = { ...nothing, outbox: { at: 0, tail: '' }, openTools: [], asks: [], signAt: house.now(), usage: usage(0.75) };
    await house.store.commit([runs.put({ ...running.body, watch }, running.version)]);
    expect((await takenBy(await house.stored(top), house.store))?.costUsd).toBe(2);
    for (const id of [top, one, two, below])
      expect(await house.over(id)).toBe(
        `task ${top.slice(-8)} and its parts have cost $2.00 together, and $2 is the most they may cost`,
      );
  });

  it('is that of tokens, too, and of each task above', async () => {
    const house = await family();
    const top = await house.make({ maxTokens: 5_000 });
    const middle = await house.make({ parent: top, maxTokens: 1_000 });
    const below = await house.make({ parent: middle });
    await house.spend(below, 1);
    expect(await house.over(below)).toContain(
      `task ${middle.slice(-8)} and its parts have used 1000 tokens together, of at most 1000`,
    );
    expect(await house.over(top)).toBeUndefined();
  });

  it('is not taken from by a review that a person asks for, and is by one that its agent asks for', async () => {
    const house = await family();
    const top = await house.make({ maxBudgetUsd: 1 });
    const { call } = await house.begin(top);
    const [byPerson, byAgent] = [await house.call('task.review', { id: top }), await call('task.review', { text: 'mine' })];
    await house.spend(byPerson.id, 0.9);
    await house.spend(byAgent.id, 0.5);
    expect((await takenBy(await house.stored(top), house.store))?.costUsd).toBe(0.5);
    await house.spend(top, 0.5);
    expect(await house.over(byAgent.id)).toContain('$1 is the most');
    expect(await house.over(byPerson.id)).toBeUndefined();
  });

  it('costs no look where a task has neither parts nor a task above', async () => {
    const house = await family();
    const alone = await house.stored(await house.make({ maxBudgetUsd: 1 }));
    const nothing = () => Promise.reject(new Error('it was looked for'));
    expect(await sharedBudgets(alone, { store: { get: nothing, scan: nothing } })).toEqual([]);
  });

  it('has room, before a part begins, for a turn of each other that is at work, however many begin at once [RUN-08]', async () => {
    const house = await family();
    const top = await house.make({ maxBudgetUsd: 1 });
    const seen = await tasks.get(house.store, top);
    // It has cost ten cents a turn so far, and so may its parts.
    if (seen) await house.store.commit([tasks.put({ ...seen.body, usage: usage(0.4), turns: 4 }, seen.version)]);
    const parts: { id: string; runId: Run['id'] }[] = [];
    for (let n = 0; n < 12; n += 1) {
      const id = await house.make({ parent: top });
      parts.push({ id, runId: (await house.begin(id)).runId });
    }
    const rowOf = async (runId: string): Promise<Run> => {
      const row = await runs.get(house.store, runId);
      if (!row) throw new Error('it has not begun');
      return row.body;
    };
    const why = async ({ id, runId }: (typeof parts)[number]) =>
      overSharedBudget(await budgetsBefore(await rowOf(runId), await house.stored(id), house.store));
    const whys = await Promise.all(parts.map(why));
    // Sixty cents are left: of twelve that begin at once six do, with a turn each.
    expect(whys.map((one) => one === undefined)).toEqual(parts.map((_, n) => n < 6));
    expect(whys[11]).toContain('those at work may take $1.10 more at any moment, and $1 is the most');
    // The task itself waits for its parts: what it may take holds none of them up.
    await house.begin(top);
    expect(await why(parts[5] as (typeof parts)[number])).toBeUndefined();
  });
});
