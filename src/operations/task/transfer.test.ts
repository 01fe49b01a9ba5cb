import { describe, expect, it } from 'vitest';
import { withProject } from '../../../test/support/shop.ts';

describe('a file of tasks', () => {
  it('comes back the same after export and import into another house, and twice makes nothing twice [TASK-12]', async () => {
    const from = await withProject();
    const first = await from.create('first\nwith two lines', { tag: ['a'], priority: 1 });
    const second = await from.create('x'.repeat(20_000), { after: [first.id] });
    await from.call('task.comment', { id: first.id, text: 'careful' });
    const { items } = await from.call('task.export', {});
    const lines = items.map((line) => JSON.parse(JSON.stringify(line)));
    const to = await withProject();
    expect((await to.call('task.import', { lines })).created).toEqual([first.id, second.id]);
    expect((await to.call('task.import', { lines })).created).toEqual([]);
    const again = (await to.call('task.export', {})).items;
    expect(again.map(({ task }) => [task.id, task.title, task.prompt, task.dependsOn])).toEqual(
      items.map(({ task }) => [task.id, task.title, task.prompt, task.dependsOn]),
    );
    expect(again[0]?.comments[0]).toMatchObject({ by: 'you', why: 'careful' });
    expect(again.map(({ task }) => task.phase.state)).toEqual(['draft', 'draft']);
  });

  it('may come from beads [TASK-12]', async () => {
    const { call } = await withProject();
    const lines = [
      {
        id: 'bd-a1',
        title: 'Parser',
        description: 'write it',
        status: 'closed',
        priority: 0,
        labels: ['core'],
        created_at: '2026-01-02T03:04:05Z',
      },
      {
        id: 'bd-a2',
        title: 'Printer',
        status: 'open',
        priority: 4,
        dependencies: [
          { issue_id: 'bd-a2', depends_on_id: 'bd-a1', type: 'blocks' },
          { depends_on_id: 'bd-zz', type: 'blocks' },
          { depends_on_id: 'bd-a1', type: 'related' },
        ],
      },
    ];
    const { created, skipped } = await call('task.import', { lines, project: 'shop', dispatch: true });
    expect(skipped).toEqual([{ source: 'bd-a2', why: expect.stringContaining('bd-zz') }]);
    const [parser, printer] = await Promise.all(created.map((id) => call('task.show', { id })));
    expect(parser).toMatchObject({
      title: 'Parser',
      prompt: 'write it',
      priority: 1,
      tags: ['core'],
      phase: { state: 'done' },
      createdAt: '2026-01-02T03:04:05.000Z',
    });
    expect(printer).toMatchObject({
      prompt: 'Printer',
      priority: 9,
      phase: { state: 'queued' },
      dependsOn: [parser?.id],
      metadata: { importedFrom: 'bd-a2' },
    });
  });

  it('brings in no task that may do more than it could where it comes from [RUN-16]', async () => {
    const from = await withProject();
    const held = { sandbox: true, maxBudgetUsd: 2, maxTurns: 5, kind: 'review', tools: ['Read'] } as const;
    const { tools, ...rest } = held;
    await from.create('look', { ...rest, tool: [...tools] });
    await from.create('apart', { isolation: 'clone' });
    const lines = (await from.call('task.export', {})).items.map((line) => JSON.parse(JSON.stringify(line)));
    const to = await withProject();
    const { created } = await to.call('task.import', { lines, dispatch: true });
    const [look, apart] = await Promise.all(created.map((id) => to.call('task.show', { id })));
    expect(look).toMatchObject({ ...held, tools, isolation: 'clone', expectsChanges: false });
    expect(apart).toMatchObject({ isolation: 'clone', kind: 'implement' });
    // A file gives nothing that has to be asked for.
    const [line] = lines;
    const wider = {
      ...line,
      task: { ...line.task, id: 'x-1', sandbox: false, extraArgs: ['--x'], executors: ['acp'], systemPrompt: 'y' },
    };
    const [id] = (await to.call('task.import', { lines: [wider] })).created;
    expect(await to.call('task.show', { id: id ?? '' })).toMatchObject({ executors: [], extraArgs: [] });
  });
});
