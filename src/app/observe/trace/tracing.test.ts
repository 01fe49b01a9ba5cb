import { expect, it, onTestFinished } from 'vitest';
import { type Collector, collector } from '../../../../test/support/collector.ts';
import { engineHouse } from '../../../../test/support/engine-house.ts';
import { takeTurn } from '../../../engine/controller.ts';
import { dispatch } from '../../../engine/dispatch.ts';
import { type SettledEnding, settle } from '../../../engine/settle.ts';
import { openMemoryStore } from '../../../store/memory/memory-store.ts';
import { runIndex, runs } from '../../../store/records/runs.ts';
import { Commits } from '../commits.ts';
import { openMeters } from '../meters.ts';
import { otelSettings } from './otel-settings.ts';
import { Tracing } from './tracing.ts';

const SUCCEEDED: SettledEnding = { outcome: 'succeeded', proved: true, retryInMs: 0 };

function traced(to: Collector) {
  const commits = new Commits();
  const house = engineHouse({}, { store: commits.heard(openMemoryStore()) });
  const meters = openMeters();
  const said: string[] = [];
  const settings = otelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: to.url, OTEL_EXPORTER_OTLP_TIMEOUT: '2000' }, '1.2.3');
  if (!settings) throw new Error('settings were expected');
  return {
    ...house,
    meters,
    said,
    tracing: () => {
      const tracing = new Tracing({
        store: house.store,
        commits,
        meters,
        settings,
        version: '1.2.3',
        host: 'here',
        log: (event) => said.push(event),
        everyMs: 10,
      });
      onTestFinished(() => tracing.stop());
      tracing.start();
      return tracing;
    },
    claim: async () => {
      await takeTurn(dispatch(house.needs));
      const [hit] = await house.store.scan({ index: runIndex.all, limit: 1, reverse: true });
      if (!hit) throw new Error('a run was expected');
      return runs.read(hit);
    },
    create: () => house.call('task.create', { prompt: 'a secret prompt', directory: '/plain', executor: ['codex'] }),
  };
}

const names = ({ spans }: Collector) => spans.map(({ name }) => name).toSorted();

it('tells of a task, its run and its turns as one trace, and of nothing that was written in them', async () => {
  await using to = await collector();
  const house = traced(to);
  house.tracing();
  const { id } = await house.create();
  const run = await house.claim();
  house.pass(4_000);
  const ends = [house.now()];
  house.pass(2_000);
  const watch = {
    ...{ offset: 0, skipping: false, state: null, outbox: { at: 0, tail: '' }, lines: 0, events: 0, droppedBytes: 0 },
    ...{ lastWords: 'said', openTools: [], asks: [], signAt: house.now(), activeMs: 1 },
    ...{ usage: { inputTokens: 3, outputTokens: 4, cachedTokens: 0 }, turns: { count: 2, ends: [...ends, house.now()] } },
  };
  await settle(run.id, { ...SUCCEEDED, watch }, house.needs);
  await expect.poll(() => names(to)).toEqual(['run', 'task', 'turn', 'turn']);
  expect(to.faults).toEqual([]);
  const by = (name: string) => to.spans.filter((span) => span.name === name);
  const [[task], [ran], turns] = [by('task'), by('run'), by('turn')];
  expect(new Set(to.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(task).toMatchObject({ ms: 6_000, status: 1, attributes: { 'fleet.task.id': id, 'fleet.task.phase': 'done' } });
  expect(task?.parent).toBeUndefined();
  expect(ran).toMatchObject({ parent: task?.id, status: 1, attributes: { 'fleet.run.id': run.id, 'fleet.run.input_tokens': 3 } });
  expect(ran?.attributes).not.toHaveProperty('fleet.run.cost_usd');
  expect(turns.map(({ parent, ms }) => ({ parent, ms }))).toEqual([
    { parent: ran?.id, ms: 4_000 },
    { parent: ran?.id, ms: 2_000 },
  ]);
  expect(to.resource).toMatchObject({ 'service.name': 'fleet', 'service.version': '1.2.3' });
  expect(JSON.stringify(to.spans)).not.toMatch(/secret|said/);
});

it('waits for a collector that is away, and whoever comes after a crash tells what is left', async () => {
  await using to = await collector();
  to.answer = { status: 503, headers: { 'retry-after': '0' } };
  const house = traced(to);
  const first = house.tracing();
  await house.create();
  const run = await house.claim();
  await settle(run.id, SUCCEEDED, house.needs);
  await expect.poll(() => to.requests.length).toBeGreaterThan(1);
  expect(house.said).toContain('trace.waits');
  await first.stop();
  // Ended while nobody told of it.
  await house.create();
  const later = await house.claim();
  await settle(later.id, { outcome: 'crashed', retryInMs: 60_000 }, house.needs);
  to.answer = { status: 200 };
  house.tracing();
  await expect.poll(() => names(to)).toEqual(['run', 'run', 'task', 'turn', 'turn']);
  expect(to.faults).toEqual([]);
  expect(to.spans.filter(({ name, status }) => name === 'run' && status === 2)).toHaveLength(1);
});

it('tells the same spans under the same ids, however often it is started, and the end of each life of a task', async () => {
  await using to = await collector();
  const house = traced(to);
  const first = house.tracing();
  const { id } = await house.create();
  await settle((await house.claim()).id, { outcome: 'refused', retryInMs: 0 }, house.needs);
  await expect.poll(() => names(to)).toEqual(['run', 'task', 'turn']);
  await first.stop();
  const second = house.tracing();
  house.pass(1_000);
  await house.call('task.retry', { id });
  await settle((await house.claim()).id, SUCCEEDED, house.needs);
  await expect.poll(() => new Set(to.spans.map((span) => span.id)).size).toBe(6);
  const [failed, done] = [...new Map(to.spans.map((span) => [span.id, span])).values()].filter(({ name }) => name === 'task');
  expect(failed).toMatchObject({ status: 2, attributes: { 'fleet.task.life': 0 } });
  expect(done).toMatchObject({ status: 1, parent: failed?.id, attributes: { 'fleet.task.life': 1 } });
  const told = new Set(to.spans.map((span) => span.id));
  await second.stop();
  const calm = to.requests.length;
  house.tracing();
  await house.create();
  await settle((await house.claim()).id, SUCCEEDED, house.needs);
  await expect.poll(() => to.requests.length).toBeGreaterThan(calm);
  expect([...told].every((span) => to.spans.filter((taken) => taken.id === span).length === 1)).toBe(true);
});

it('drops what a collector refuses for good, and counts it', async () => {
  await using to = await collector();
  to.answer = { status: 400 };
  const house = traced(to);
  house.tracing();
  await house.create();
  await settle((await house.claim()).id, SUCCEEDED, house.needs);
  await expect.poll(() => house.meters.text()).toContain('fleet_trace_spans_total{result="dropped"} 3');
  to.answer = { status: 200, body: JSON.stringify({ partialSuccess: { rejectedSpans: '1' } }) };
  await house.create();
  await settle((await house.claim()).id, SUCCEEDED, house.needs);
  await expect.poll(() => house.meters.text()).toContain('fleet_trace_spans_total{result="dropped"} 4');
  expect(await house.meters.text()).toContain('fleet_trace_spans_total{result="sent"} 2');
});
