import { describe, expect, it } from 'vitest';
import { withRuns } from '../../../test/support/run-house.ts';
import type { TaskId } from '../../domain/values.ts';
import { questions } from '../../store/records/questions.ts';
import { takeTurn } from '../controller.ts';
import { questionPages } from './questions.ts';

/** A house whose pages are texts in memory, and the controller that keeps them. */
async function withPages() {
  const house = await withRuns();
  const pages = new Map<string, string>();
  let stamps = 0;
  const stampOf = new Map<string, string>();
  const write = (taskId: string, text: string) => {
    pages.set(taskId, text);
    stamps += 1;
    stampOf.set(taskId, String(stamps));
  };
  const log: string[] = [];
  const begin = () =>
    questionPages({
      store: house.store,
      now: house.now,
      elapsed: () => Date.parse(house.now()),
      host: 'here',
      log: (event) => void log.push(event),
      pages: {
        stamp: (taskId) => stampOf.get(taskId),
        read: async (taskId) => pages.get(taskId),
        replace: async (taskId, before, after) => {
          if (pages.get(taskId) !== before) return false;
          write(taskId, after);
          return true;
        },
      },
      ask: async ({ text, options }, { taskId, runId }) => {
        const call = runId ? house.as(runId, 'run', { run: { runId, taskId } }) : house.as('Q&A.md', 'team-lead');
        return (await call('question.ask', { text, option: [...options], ...(runId ? {} : { task: taskId }) })).id;
      },
      answer: async (id, text) => void (await house.as('Q&A.md', 'team-lead')('question.answer', { id, text })),
    });
  let controller = begin();
  const turn = async (times = 1) => {
    for (let n = 0; n < times; n += 1) {
      house.pass(1_000);
      expect((await takeTurn(controller)).failed).toEqual([]);
    }
  };
  return { ...house, pages, write, turn, log, restart: () => (controller = begin()) };
}

describe('the page of a task', () => {
  it('is taken once nobody writes on it any more, once, also by an engine that comes later', async () => {
    const house = await withPages();
    const { id } = await house.create('x');
    const { runId } = await house.begin(id);
    house.write(id, '# Q\n\n## Question\nWhich col');
    await house.turn();
    house.write(id, '# Q\n\n## Question\nWhich colour?\n1. red\n2. blue\n');
    await house.turn();
    expect((await house.call('question.list', {})).items).toEqual([]);
    await house.turn(3);
    house.restart();
    await house.turn(3);
    const { items } = await house.call('question.list', {});
    expect(items).toMatchObject([{ text: 'Which colour?', options: ['red', 'blue'], taskId: id, runId }]);
    expect(house.pages.get(id)?.match(/^## .*/gm)).toEqual([`## ${items[0]?.id}`]);
  });

  it('cannot allow an agent anything', async () => {
    const house = await withPages();
    const { id } = await house.create('x');
    const { call } = await house.begin(id);
    const asked = await call('question.ask', { text: 'May I delete everything?' });
    const seen = await questions.get(house.store, asked.id);
    if (!seen) throw new Error('gone');
    await house.store.commit([questions.put({ ...seen.body, permission: true }, seen.version)]);
    house.write(id, `## ${asked.id}\n\n### Answer\n\nallow\n`);
    await house.turn(3);
    expect((await call('question.show', { id: asked.id })).state).toBe('pending');
  });

  it('answers once, with one of the options there are', async () => {
    const house = await withPages();
    const { id } = await house.create('x');
    const { call } = await house.begin(id);
    const { id: question } = await call('question.ask', { text: 'Which?', option: ['red', 'blue'] });
    house.write(id, '# Q\n');
    await house.turn(3);
    house.write(id, `${house.pages.get(id)}\n7\n`);
    await house.turn(3);
    expect(house.log).toEqual(['answer.untaken']);
    expect((await call('question.show', { id: question })).state).toBe('pending');
    house.write(id, `${house.pages.get(id)?.replace(/\n7\n$/, '\n2\n')}`);
    await house.turn(3);
    expect((await call('question.show', { id: question })).answer).toMatchObject({ text: 'blue', by: 'Q&A.md' });
    house.restart();
    await house.turn(3);
    expect((await call('task.show', { id })).messages).toHaveLength(1);
  });

  it('may be gone with its task: then nobody needs to answer', async () => {
    const house = await withPages();
    const { id } = await house.create('x');
    const { call, runId } = await house.begin(id);
    const question = await call('question.ask', { text: 'Which?' });
    await house.end(runId);
    const seen = await house.store.get({ kind: 'task', id });
    const task = seen?.body as { phase: unknown };
    await house.store.commit([
      {
        op: 'put',
        key: { kind: 'task', id },
        expect: seen?.version ?? '',
        body: { ...task, phase: { state: 'done', at: house.now() } },
        entries: [],
      },
    ]);
    await house.turn(2);
    expect((await house.call('question.show', { id: question.id })).state).toBe('withdrawn');
    expect(house.pages.has(id as TaskId)).toBe(false);
  });
});
