import { describe, expect, it } from 'vitest';
import { withRuns } from '../../test/support/run-house.ts';
import type { Call } from '../contract/call.ts';

type House = Awaited<ReturnType<typeof withRuns>>;
const refused = async (answer: Promise<unknown>): Promise<{ code: string; message: string }> =>
  answer.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => error as { code: string; message: string },
  );
const create = (call: Call, wish: object = {}) => call('task.create', { project: 'shop', prompt: 'x', ...wish });
const outside = { code: 'forbidden', message: expect.stringContaining('the bounds of ') };

async function bounded(): Promise<House> {
  const house = await withRuns();
  house.settings.bounds_role = { worker: { executors: ['claude'], sandbox: 'required', max_budget_usd: 5 } };
  house.settings.bounds_team = { web: { executors: ['claude', 'codex'] } };
  return house;
}

describe('a task that is made with a token', () => {
  it('is in the sandbox and has a budget by itself where its role is held to that, and shows it [API-07]', async () => {
    const house = await bounded();
    const worker = house.as('w', 'worker');
    expect(await create(worker)).toMatchObject({ sandbox: true, maxBudgetUsd: 5, creatorRole: 'worker' });
    expect(await create(worker, { maxBudgetUsd: 2 })).toMatchObject({ sandbox: true, maxBudgetUsd: 2 });
    const own = await create(house.call);
    expect([own.sandbox, own.maxBudgetUsd, own.creatorRole]).toEqual([undefined, undefined, undefined]);
  });

  it('is refused outside of its bounds, with whose they are and what is allowed [API-07]', async () => {
    const house = await bounded();
    const worker = house.as('w', 'worker', { team: 'web' });
    for (const wish of [{ executor: ['codex'] }, { executor: ['claude', 'codex'] }, { sandbox: false }, { maxBudgetUsd: 6 }])
      expect(await refused(create(worker, wish))).toMatchObject(outside);
    const lead = house.as('l', 'team-lead', { team: 'web' });
    expect(await refused(create(lead, { executor: ['scripted'] }))).toMatchObject({
      message: 'the bounds of team web allow no executor scripted, only claude, codex',
    });
    // The default executor is looked at as if it had been named.
    house.settings.executor = 'scripted';
    expect(await refused(create(lead))).toMatchObject(outside);
    expect(await refused(lead('task.import', { lines: [{ id: 'b-1', title: 't' }], project: 'shop' }))).toMatchObject(outside);
    expect(await create(lead, { executor: ['codex'] })).toMatchObject({ executors: ['codex'], team: 'web' });
  });

  it('stays within them when it is edited, forked, sent on or tried again, by whomever', async () => {
    const house = await bounded();
    const [worker, lead] = [house.as('w', 'worker'), house.as('l', 'team-lead')];
    const { id } = await create(worker, { draft: true });
    for (const wish of [{ executor: ['codex'] }, { sandbox: false }, { maxBudgetUsd: 6 }])
      expect(await refused(lead('task.edit', { id, ...wish }))).toMatchObject(outside);
    expect(await lead('task.edit', { id, clear: ['sandbox', 'maxBudgetUsd'] })).toMatchObject({ sandbox: true, maxBudgetUsd: 5 });
    house.settings.bounds_role = { worker: { executors: ['codex'] } };
    expect(await refused(lead('task.dispatch', { id }))).toMatchObject(outside);
    expect(await refused(lead('task.send', { id, text: 'go on' }))).toMatchObject(outside);
    expect(await lead('task.edit', { id, executor: ['codex'] })).toMatchObject({ executors: ['codex'] });
    await lead('task.dispatch', { id });
    await lead('task.cancel', { id });
    house.settings.bounds_role = { worker: { executors: ['claude'] } };
    expect(await refused(lead('task.retry', { id }))).toMatchObject(outside);
  });

  it('is steered only by those whose own bounds it is within', async () => {
    const house = await bounded();
    const { id } = await create(house.call, { executor: ['codex'] });
    expect(await refused(house.as('w', 'worker')('task.send', { id, text: 'do as I say' }))).toMatchObject(outside);
    house.settings.bounds_role = { coordinator: { sandbox: 'required' } };
    expect(await refused(house.as('c', 'coordinator')('task.edit', { id, sandbox: false, prompt: 'y' }))).toMatchObject(outside);
  });

  it('is held to what its project is, whoever makes it, and only an admin changes that', async () => {
    const house = await withRuns();
    const bounds = { allowExecutor: ['codex'], sandbox: 'required' as const, maxBudgetUsd: 3 };
    const set = await house.call('project.set', { project: 'shop', ...bounds });
    expect(set).toMatchObject({ allowExecutors: ['codex'], sandbox: 'required', maxBudgetUsd: 3 });
    expect(await refused(create(house.call))).toMatchObject({
      message: expect.stringContaining('project shop allow no executor'),
    });
    expect(await create(house.call, { executor: ['codex'] })).toMatchObject({ sandbox: true, maxBudgetUsd: 3 });
    for (const role of ['team-lead', 'coordinator'] as const)
      for (const change of [{ allowExecutor: ['claude'] }, { clear: ['sandbox' as const] }, { maxBudgetUsd: 100 }])
        expect((await refused(house.as('l', role)('project.set', { project: 'shop', ...change }))).code).toBe('forbidden');
    await house.as('l', 'team-lead')('project.set', { project: 'shop', description: 'theirs' });
    await house.call('project.set', { project: 'shop', clear: ['allowExecutor', 'sandbox', 'maxBudgetUsd'] });
    expect((await create(house.call)).sandbox).toBeUndefined();
  });
});

describe('a part of a task within bounds', () => {
  const CAN = { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: true };
  const ready = (name: string) =>
    ({ name, state: 'ready', origin: 'built_in', signedIn: 'yes', program: { command: 'x', found: true }, can: CAN }) as const;

  it('is held to the bounds of whoever made its task', async () => {
    const house = await bounded();
    house.here.push(ready('claude'), ready('codex'));
    const task = await create(house.as('w', 'worker', { team: 'web' }));
    const { call } = await house.begin(task.id);
    const part = await call('task.create', { prompt: 'a part' });
    expect(part).toMatchObject({ sandbox: true, maxBudgetUsd: 5, creatorRole: 'worker', team: 'web' });
    expect((await refused(call('task.create', { prompt: 'a part', executor: ['codex'] }))).code).toBe('forbidden');
    expect((await refused(call('task.review', { executor: ['codex'] }))).code).toBe('forbidden');
  });

  it('in a sandbox or with bounds gets no executor that is merely set up: its key is no business of the task [T19]', async () => {
    const house = await withRuns();
    house.here.push(ready('claude'), ready('codex'));
    const asked = async (wish: object) => {
      const { call } = await house.begin((await create(house.call, wish)).id);
      return call('task.create', { prompt: 'a part', executor: ['codex'] });
    };
    expect(await refused(asked({ sandbox: true }))).toMatchObject({
      message: expect.stringContaining('not to be done by codex'),
    });
    expect((await asked({})).executors).toEqual(['codex']);
    expect((await asked({ sandbox: true, executor: ['claude', 'codex'] })).executors).toEqual(['codex']);
    house.settings.part_executors = ['codex'];
    expect((await asked({ sandbox: true })).executors).toEqual(['codex']);
    house.settings.part_executors = [];
    house.settings.bounds_role = { admin: { executors: ['claude', 'codex'] } };
    expect((await asked({ sandbox: true })).executors).toEqual(['codex']);
    house.settings.bounds_role = { admin: { executors: ['claude'] } };
    house.settings.part_executors = ['set_up', 'codex'];
    expect((await refused(asked({}))).code).toBe('forbidden');
  });
});

describe('what a project has run', () => {
  it('is named by an admin without a team alone, and by nobody whose token is narrower [API-07] [T6]', async () => {
    const house = await withRuns();
    const narrower = [
      house.as('l', 'team-lead'),
      house.as('c', 'coordinator', { team: 'web' }),
      house.as('a', 'admin', { team: 'web' }),
    ];
    const before = await house.call('project.show', { project: 'shop' });
    for (const call of narrower)
      for (const wish of [
        { verify: 'id' },
        { setup: 'id' },
        { mcpServers: { x: { command: 'id' } } },
        { clear: ['verify'] as const },
      ]) {
        const refusal = await refused(call('project.set', { project: 'shop', ...wish } as never));
        expect(refusal).toMatchObject({ code: 'forbidden' });
        expect(refusal.message).toContain('runs as the owner of the fleet');
      }
    expect(await house.call('project.show', { project: 'shop' })).toEqual(before);
    expect(await house.as('l', 'team-lead')('project.set', { project: 'shop', description: 'ours' })).toMatchObject({
      description: 'ours',
    });
    expect(await house.call('project.set', { project: 'shop', verify: 'npm test' })).toMatchObject({ verify: 'npm test' });
  });
});
