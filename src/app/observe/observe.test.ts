import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engineHouse } from '../../../test/support/engine-house.ts';
import { root } from '../../../tools/paths.mjs';
import type { DiskShortage } from '../../domain/hold/disk-room.ts';
import { takeTurn } from '../../engine/controller.ts';
import { dispatch } from '../../engine/dispatch.ts';
import { gauge } from '../../engine/gauge.ts';
import { type SettledEnding, settle } from '../../engine/settle.ts';
import { openMemoryStore } from '../../store/memory/memory-store.ts';
import type { Store } from '../../store/port.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { METRICS } from '../../surfaces/metrics/metrics-table.ts';
import { StoreCondition } from '../store-condition.ts';
import { Commits } from './commits.ts';
import { openObserved } from './observe.ts';

const ENDING: SettledEnding = { outcome: 'crashed', retryInMs: 1_000 };

function observedHouse(store: Store = openMemoryStore()) {
  const commits = new Commits();
  const house = engineHouse({}, { store: commits.heard(store) });
  const clock = { ms: 0 };
  const problem = { text: undefined as string | undefined };
  const disk = { short: undefined as DiskShortage | undefined };
  const observed = openObserved(
    {
      store: house.store,
      commits,
      condition: new StoreCondition(house.now),
      disk: { diskShort: async () => undefined, seen: () => disk.short },
      paths: { path: '/secret/home' } as never,
      settings: { current: () => (problem.text === undefined ? {} : { problem: problem.text }) } as never,
    },
    () => undefined,
    { now: () => Date.parse(house.now()), elapsed: () => clock.ms },
  );
  return { ...house, observed, clock, problem, disk };
}

const valueOf = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

it('counts what the commits of this process say, and takes unknown for unknown', async () => {
  const { call, needs, observed, store, pass, places } = observedHouse();
  using _ = observed;
  for (const path of ['/a', '/b', '/c']) {
    places.set(path, { kind: 'directory', path });
    await call('task.create', { prompt: path, directory: path, executor: ['codex'] });
  }
  await takeTurn(dispatch(needs));
  const [first, second, third] = (await store.scan({ index: runIndex.all, limit: 10 })).map((hit) => runs.read(hit));
  if (!first || !second || !third) throw new Error('three runs were expected');
  pass(7_000);
  const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 1, costUsd: 0.25 };
  const watch = {
    ...{ offset: 0, skipping: false, state: null, outbox: { at: 0, tail: '' }, lines: 0, events: 0, droppedBytes: 0 },
    ...{ lastWords: '', openTools: [], asks: [], signAt: needs.now(), activeMs: 7_000, usage },
  };
  await settle(first.id, { ...ENDING, outcome: 'succeeded', proved: true, watch }, needs);
  await settle(second.id, ENDING, needs);
  await settle(third.id, { ...ENDING, outcome: 'refused' }, needs);
  const text = await observed.figures.text();
  const value = (name: string) => valueOf(text, name);
  expect(value('fleet_tasks_created_total')).toBe(3);
  expect(value('fleet_runs_started_total{executor="codex",kind="agent"}')).toBe(3);
  expect(value('fleet_runs_ended_total{executor="codex",kind="agent",outcome="succeeded"}')).toBe(1);
  expect(value('fleet_runs_ended_total{executor="codex",kind="agent",outcome="crashed"}')).toBe(1);
  expect(value('fleet_task_retries_total{outcome="crashed"}')).toBe(1);
  expect(value('fleet_tasks_ended_total{phase="done"}')).toBe(1);
  expect(value('fleet_task_duration_seconds_sum{phase="done"}')).toBe(7);
  expect(value('fleet_run_duration_seconds_count{executor="codex",kind="agent"}')).toBe(3);
  expect(value('fleet_run_tokens_total{executor="codex",direction="input"}')).toBe(10);
  expect(value('fleet_run_cost_usd_total{executor="codex"}')).toBe(0.25);
  expect(value('fleet_runs_cost_unknown_total{executor="codex"}')).toBe(2);
  expect(value('fleet_runs_usage_unknown_total{executor="codex"}')).toBe(2);
});

it('says of an ended run no second time that it has ended, however often its row is written', async () => {
  const { call, needs, observed, store } = observedHouse();
  using _ = observed;
  await call('task.create', { prompt: 'a', directory: '/plain', executor: ['codex'] });
  await takeTurn(dispatch(needs));
  const [hit] = await store.scan({ index: runIndex.all, limit: 1 });
  if (!hit) throw new Error('a run was expected');
  await settle(runs.read(hit).id, ENDING, needs);
  const seen = await runs.get(store, hit.key.id);
  if (!seen) throw new Error('the run is gone');
  await store.commit([runs.put({ ...seen.body, outputRemovedAt: needs.now() }, seen.version)]);
  const text = await observed.figures.text();
  expect(valueOf(text, 'fleet_runs_ended_total{executor="codex",kind="agent",outcome="crashed"}')).toBe(1);
});

it('shows what was counted in the background, with its age', async () => {
  const house = observedHouse();
  await house.call('task.create', { prompt: 'a', directory: '/plain', executor: ['codex'] });
  house.pass(60_000);
  await house.call('task.create', { prompt: 'b', directory: '/plain', executor: ['codex'] });
  await takeTurn(gauge(house.needs));
  house.pass(30_000);
  using before = house.observed;
  expect(valueOf(await before.figures.text(), 'fleet_count_age_seconds')).toBeUndefined();
  using observed = openObserved(
    {
      store: house.store,
      commits: new Commits(),
      condition: new StoreCondition(house.now),
      disk: { diskShort: async () => undefined, seen: () => undefined },
      paths: { path: '/home' } as never,
      settings: { current: () => ({}) } as never,
    },
    () => undefined,
    { now: () => Date.parse(house.now()), elapsed: () => 0 },
  );
  await expect.poll(async () => valueOf(await observed.figures.text(), 'fleet_tasks{phase="queued"}')).toBe(2);
  const text = await observed.figures.text();
  expect(valueOf(text, 'fleet_count_age_seconds')).toBe(30);
  expect(valueOf(text, 'fleet_ready_oldest_seconds')).toBe(90);
  expect(valueOf(text, 'fleet_questions_pending')).toBe(0);
});

it('documents every figure it shows, and shows no other', async () => {
  const { observed } = observedHouse();
  using _ = observed;
  const shown = [...(await observed.figures.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  expect(shown).toEqual(Object.entries(METRICS).map(([name, { type }]) => `${name} ${type}`));
  const page = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8');
  for (const name of Object.keys(METRICS)) expect(page).toContain(`| \`${name}\` |`);
});

it('is well, then not, and says why without naming anything', async () => {
  const { observed, clock, problem } = observedHouse();
  using _ = observed;
  expect(observed.health()).toMatchObject({ status: 'degraded', reasons: ['starting'], engine: false });
  observed.holds(true);
  await expect.poll(() => observed.health().store.latencyMs).toBe(0);
  expect(observed.health()).toMatchObject({ status: 'ok', reasons: [], engine: true });
  problem.text = 'runtime.toml: line 3 names /secret/home';
  clock.ms = 25_000;
  expect(observed.health()).toMatchObject({
    status: 'degraded',
    reasons: ['store_silent', 'settings_problem'],
    uptimeSeconds: 25,
  });
  expect(JSON.stringify(observed.health())).not.toContain('secret');
  expect(observed.details()).toMatchObject({ home: '/secret/home', settingsProblem: problem.text });
  observed.holds(false);
  expect(observed.health().reasons).toContain('no_engine');
});

it('answers about its health although the store does not', async () => {
  const silent: Store = { ...openMemoryStore(), get: () => new Promise(() => undefined) };
  const { observed, clock } = observedHouse(silent);
  using _ = observed;
  observed.holds(true);
  clock.ms = 21_000;
  expect(observed.health()).toMatchObject({ status: 'degraded', reasons: ['store_silent'], store: { answeredSecondsAgo: 21 } });
});

it('never lets a reader that fails undo a commit', async () => {
  const commits = new Commits();
  const store = commits.heard(openMemoryStore());
  const errors: unknown[] = [];
  commits.tell(
    () => {
      throw new Error('bug');
    },
    (error) => errors.push(error),
  );
  const key = { kind: 'x', id: 'y' };
  await store.commit([{ op: 'put', key, expect: 'absent', body: {}, entries: [] }]);
  expect(await store.get(key)).toBeDefined();
  expect(errors).toHaveLength(1);
});
