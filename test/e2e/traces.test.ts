import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { METRICS } from '../../src/surfaces/metrics/metrics-table.ts';
import { collector } from '../support/collector.ts';
import { scraped } from '../support/prometheus.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

it('traces a task from its run over its turns to its landing, once, although the engine was killed and the collector away [API-09]', async () => {
  await using to = await collector();
  to.answer = { status: 503 };
  await using house = await workHouse(['--verify', 'true'], { engine: false });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: to.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=s3cr3t', OTEL_SERVICE_NAME: 'shop' };
  const first = await house.up(env);
  const go = join(house.directory, 'go');
  const id = await house.create(
    `spend 5 1\nedit a.txt hello\nsh until [ -e '${go}' ]; do sleep 0.1; done\nspend 6 2\ncommit add a\ndone`,
  );
  await house.sees(id, ({ phase }) => phase.state === 'running');
  await first.kill('SIGKILL');
  to.answer = { status: 200 };
  const second = await house.up(env);
  await writeFile(go, '');
  expect((await house.rest(id)).phase.state).toBe('done');
  const named = (name: string) => to.spans.filter((span) => span.name === name);
  await vi.waitFor(() => expect(named('task')).toHaveLength(1), 20_000);
  await vi.waitFor(() => expect(named('run').map(({ attributes }) => attributes['fleet.run.kind'])).toContain('gate'), 20_000);
  await seenFromOutside(house, second.log());
  await second.kill('SIGTERM');
  expect(to.faults).toEqual([]);
  const [task] = named('task');
  expect(task).toMatchObject({ status: 1, attributes: { 'fleet.task.id': id, 'fleet.task.phase': 'done' } });
  const agents = named('run').filter(({ attributes }) => attributes['fleet.run.kind'] === 'agent');
  expect(agents).toHaveLength(1);
  expect(agents[0]).toMatchObject({
    parent: task?.id,
    attributes: { 'fleet.run.outcome': 'succeeded', 'fleet.run.input_tokens': 11 },
  });
  expect(named('turn').map(({ parent, attributes }) => [parent, attributes['fleet.turn']])).toEqual([
    [agents[0]?.id, 1],
    [agents[0]?.id, 2],
  ]);
  expect(named('merge')).toMatchObject([{ parent: task?.id, status: 1, attributes: { 'fleet.merge.result': 'landed' } }]);
  expect(new Set(to.spans.map((span) => span.traceId)).size).toBe(1);
  expect(new Set(to.spans.map((span) => span.id)).size).toBe(to.spans.length);
  expect(to.requests.at(-1)).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 's3cr3t' } });
  expect(to.resource).toMatchObject({ 'service.name': 'shop' });
  expect(`${first.log()}${second.log()}`).not.toContain('s3cr3t');
  expect(second.log()).toContain('trace.on');
});

/** What a scraper and a probe see of the same fleet: figures that are those of the work, and health that follows the facts. */
async function seenFromOutside(house: WorkHouse, log: string): Promise<void> {
  const url = /http.listening\b.*?(http:\/\/[\w.:]+)/.exec(log)?.[1] ?? '';
  const token = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
  const get = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const scrape = async () => scraped(await (await get('/metrics')).text());
  await vi.waitFor(async () => expect((await scrape()).value('fleet_tasks', { phase: 'done' })).toBe(1), 30_000);
  const seen = await scrape();
  expect([...seen.types.keys()].toSorted()).toEqual(Object.keys(METRICS).toSorted());
  expect(seen.value('fleet_landings_total', { result: 'landed' })).toBe(1);
  expect(seen.value('fleet_runs_ended_total', { kind: 'agent', outcome: 'succeeded' })).toBe(1);
  expect(seen.value('fleet_run_tokens_total', { direction: 'input' })).toBe(11);
  const turns = seen.samples.filter(({ name }) => name === 'fleet_task_duration_seconds_bucket').map(({ value }) => value);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  expect(turns.at(-1)).toBe(seen.value('fleet_task_duration_seconds_count'));
  expect(seen.value('fleet_trace_spans_total', { result: 'sent' })).toBeGreaterThan(4);
  const health = async () => (await (await get('/health')).json()) as { status: string; reasons: string[] };
  await vi.waitFor(async () => expect(await health()).toMatchObject({ status: 'ok', reasons: [], engine: true }), 30_000);
  const settings = join(house.home, 'runtime.toml');
  const before = await readFile(settings, 'utf8').catch(() => '');
  await writeFile(settings, 'not = [settings');
  await vi.waitFor(
    async () => expect(await health()).toMatchObject({ status: 'degraded', reasons: ['settings_problem'] }),
    30_000,
  );
  expect((await scrape()).value('fleet_settings_problem')).toBe(1);
  await writeFile(settings, before);
  await vi.waitFor(async () => expect(await health()).toMatchObject({ status: 'ok' }), 30_000);
}
