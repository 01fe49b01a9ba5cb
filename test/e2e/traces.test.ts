import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { collector } from '../support/collector.ts';
import { workHouse } from '../support/work-house.ts';

it('traces a task from its run over its turns to its landing, once, although the engine was killed and the collector away', async () => {
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
