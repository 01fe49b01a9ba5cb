import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FleetServices, openServices } from '../../src/app/open-services.ts';
import type { RunId, TaskId } from '../../src/domain/values.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

let house: WorkHouse;
let own: FleetServices;
beforeAll(async () => {
  house = await workHouse([], { settings: ['grace_seconds=1', 'max_concurrent=20'] });
  own = await openServices({ FLEET_HOME: house.home, FLEET_SCRIPTED: 'true' }, house.directory);
});
afterAll(async () => {
  await own?.close();
  await house[Symbol.asyncDispose]();
});

const inState = (id: string, state: string) => house.sees(id, ({ phase }) => phase.state === state);

/** A task whose agent waits for a file before it ends, and the calls its run makes meanwhile. */
async function begun(steps: string, name: string, ...flags: string[]) {
  const go = join(house.directory, `${name}.go`);
  const id = await house.create(`${steps}\nsh until [ -e '${go}' ]; do sleep 0.1; done\ndone well`, ...flags);
  await inState(id, 'running');
  const run = await vi.waitFor(async () => {
    const found = (await house.runs(id)).find(({ kind, phase }) => kind === 'agent' && phase.state === 'running');
    if (!found) throw new Error('its agent has not begun');
    return found;
  }, 30_000);
  const call = own.callAs({ id: run.id, name: run.id, role: 'run', run: { runId: run.id as RunId, taskId: id as TaskId } });
  return { id, runId: run.id, call, goOn: () => writeFile(go, '') };
}

describe('the run of an agent', () => {
  it('hands in a report, which is checked against git and outranks the others', async () => {
    const { id, call, goOn } = await begun(
      'edit real.txt yes\ncommit real\nreport blocked by file',
      'report',
      '--integration',
      'none',
    );
    await vi.waitFor(
      async () => expect((await call('task.log', { id })).items.some(({ text }) => text.includes('blocked'))).toBe(true),
      20_000,
    );
    await call('report.submit', {
      status: 'succeeded',
      summary: 'by hand',
      files: ['real.txt', 'dream.txt'],
      nextSteps: ['more'],
    });
    await goOn();
    await inState(id, 'done');
    const { reports } = (await house.ok(['task', 'report', id, '--json'])).json<{
      reports: readonly Record<string, unknown>[];
    }>();
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({
      channel: 'mcp',
      status: 'succeeded',
      summary: 'by hand',
      nextSteps: ['more'],
      files: [{ path: 'real.txt' }],
      commits: [{ subject: 'real' }],
    });
    expect(String(reports[0]?.['doubts'])).toContain('dream.txt');
    expect(reports[0]).not.toHaveProperty('claimedFiles');
  });

  it('has its work reviewed when it is finished, also where a person decides about it [AUTO-06]', async () => {
    const { id, call, goOn } = await begun('edit reviewed.txt yes\ncommit work to look at', 'review', '--integration', 'review');
    const review = await call('task.review', { text: '```scenario\nsh cat reviewed.txt\ndone it is good\n```' });
    expect((await house.show(review.id)).phase.state).toBe('waiting');
    await goOn();
    const reviewed = await inState(id, 'blocked');
    expect(reviewed.phase.block?.cause).toBe('review');
    await inState(review.id, 'done');
    const [run] = await house.runs(review.id);
    const prompt = await readFile(join(house.home, 'runs', run?.id ?? '', 'prompt.txt'), 'utf8');
    expect(prompt).toContain(`from ${reviewed.work?.base} to ${reviewed.work?.tip}`);
    expect(prompt).toContain(reviewed.work?.branch);
    expect(prompt).toContain('> status: succeeded');
    await house.ok(['task', 'approve', id]);
    await inState(id, 'done');
  });

  it('hands on a part, waits for it and goes on [TASK-09]', async () => {
    const { id, call, goOn } = await begun('edit whole.txt yes\ncommit whole', 'whole', '--integration', 'auto');
    const part = await call('task.create', { prompt: '```scenario\nedit part.txt yes\ncommit part\ndone\n```' });
    await vi.waitFor(async () => expect((await call('task.wait', { ids: [part.id] })).pending).toBe(0), 60_000);
    expect((await call('task.show', { id: part.id })).phase.state).toBe('done');
    await goOn();
    await inState(id, 'done');
    expect((await house.says('ls-tree', '--name-only', 'main')).split('\n')).toEqual(
      expect.arrayContaining(['whole.txt', 'part.txt']),
    );
    expect((await house.ok(['task', 'show', part.id, '--json'])).json<{ parentId: string }>().parentId).toBe(id);
  });
});
