import type { ChildProcess } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openServices } from '../../src/app/open-services.ts';
import type { Question } from '../../src/domain/question/question.ts';
import type { RunId, TaskId } from '../../src/domain/values.ts';
import { type FaultHouse, faultHouse, scenario } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';

const scripted = ['--executor', 'scripted'] as const;

interface Blocked {
  readonly phase: {
    readonly state: string;
    readonly block?: { readonly cause: string; readonly questionId?: string; readonly what: string };
  };
}

const questionsIn = async (house: FaultHouse, ...flags: string[]): Promise<readonly Question[]> =>
  (await house.ok(['question', 'list', '--json', ...flags])).json<{ items: readonly Question[] }>().items;
const oneQuestion = (house: FaultHouse): Promise<Question> =>
  vi.waitFor(async () => {
    const [question, ...more] = await questionsIn(house);
    expect(more).toEqual([]);
    if (!question) throw new Error('nobody has asked yet');
    return question;
  }, 20_000);
const pageOf = (house: FaultHouse, taskId: string) => join(house.home, 'tasks', taskId, 'artifacts', 'Q&A.md');
const blockOf = async (house: FaultHouse, taskId: string) => ((await house.task(taskId)) as unknown as Blocked).phase.block;
const prompts = async (house: FaultHouse, taskId: string) =>
  Promise.all((await house.runs(taskId)).map(({ id }) => readFile(join(house.home, 'runs', id, 'prompt.txt'), 'utf8')));
const stopped = async ({ process: engine }: { process: ChildProcess }, signal: NodeJS.Signals) => {
  engine.kill(signal);
  await new Promise((resolve) => engine.once('exit', resolve));
};

/** Writes a question onto its page, then stops; goes on once it has been told something. */
const WRITES_AND_STOPS = `untold: sh printf '\\n## Question\\nWhich colour?\\n\\n1. red\\n2. blue\\n' >> "$FLEET_ARTIFACT_DIR/Q&A.md"
untold: end blocked I must know the colour
told: done painted`;

describe('a question of an agent', () => {
  it('reaches people while it runs, and the answer reaches the agent', async () => {
    await using house = await faultHouse();
    await house.up();
    const id = await house.create(scenario('twoway\nsay ready\nlisten 1\ndone painted'), ...scripted);
    await vi.waitFor(async () => expect(await house.said(id)).toContain('ready'), 20_000);
    const [run] = await house.runs(id);
    const own = await openServices({ FLEET_HOME: house.home, FLEET_SCRIPTED: 'true' }, house.directory);
    try {
      const call = own.callAs({
        id: run?.id ?? '',
        name: run?.id ?? '',
        role: 'run',
        run: { runId: run?.id as RunId, taskId: id as TaskId },
      });
      const asked = await call('question.ask', { text: 'Which colour?', option: ['red', 'blue'] });
      expect((await oneQuestion(house)).id).toBe(asked.id);
      await house.ok(['question', 'answer', asked.id, '2']);
      await house.settled([id]);
      expect(await house.said(id)).toContain('The answer is: blue');
      expect((await call('question.show', { id: asked.id })).answer).toMatchObject({ text: 'blue' });
      expect(await house.outcomes(id)).toEqual(['succeeded']);
    } finally {
      await own.close();
    }
  });

  it('can be written to Q&A.md and its answer read there while it runs', async () => {
    await using house = await faultHouse();
    await house.up();
    const asks = `sh printf '\\n## Question: Which colour?\\n1. red\\n2. blue\\n' >> "$FLEET_ARTIFACT_DIR/Q&A.md"`;
    const waits = 'sh until grep -q "^> blue" "$FLEET_ARTIFACT_DIR/Q&A.md"; do sleep 0.1; done';
    const id = await house.create(scenario(`${asks}\n${waits}\ndone painted`), ...scripted);
    const question = await oneQuestion(house);
    expect(question).toMatchObject({
      text: 'Which colour?',
      options: ['red', 'blue'],
      taskId: id,
      runId: (await house.runs(id))[0]?.id,
    });
    await vi.waitFor(async () => expect(await readFile(pageOf(house, id), 'utf8')).toContain(`## ${question.id}`), 20_000);
    await house.ok(['question', 'answer', question.id, 'blue']);
    await house.settled([id]);
    expect(await house.outcomes(id)).toEqual(['succeeded']);
    expect(await questionsIn(house, '--all')).toHaveLength(1);
  });

  it('keeps its task blocked when its agent has gone, and an answer in Q&A.md lets it go on after a crash', async () => {
    await using house = await faultHouse();
    const engine = await house.up();
    const id = await house.create(scenario(WRITES_AND_STOPS), ...scripted);
    await house.settled([id]);
    const question = await oneQuestion(house);
    expect(await blockOf(house, id)).toMatchObject({
      cause: 'question',
      questionId: question.id,
      what: 'it asks: Which colour?',
    });
    await vi.waitFor(async () => expect(await readFile(pageOf(house, id), 'utf8')).toContain(`## ${question.id}`), 20_000);
    await stopped(engine, 'SIGKILL');
    await appendFile(pageOf(house, id), '\n2\n');
    await house.up();
    await vi.waitFor(async () => expect((await house.task(id)).phase.state).toBe('done'), 30_000);
    const [answered, ...more] = await questionsIn(house, '--all');
    expect(more).toEqual([]);
    expect(answered).toMatchObject({ id: question.id, state: 'answered', answer: { text: 'blue', by: 'Q&A.md' } });
    const [first, second] = await prompts(house, id);
    expect(first).not.toContain('The answer is');
    expect(second).toContain('You asked: Which colour?\n  > The answer is: blue');
    await vi.waitFor(async () => expect(await readFile(pageOf(house, id), 'utf8')).toContain('> blue'), 20_000);
  });

  fullOnly('that an agent asked in its own way outlives it, and the task goes on when it is answered', async () => {
    await using house = await faultHouse();
    await house.up();
    const asking = await house.create(scenario('twoway\nuntold: ask Which colour? | red | blue\ndone painted'), ...scripted);
    const question = await oneQuestion(house);
    const [run] = await house.runs(asking);
    process.kill(run?.phase.agent?.pid ?? 0, 'SIGKILL');
    await house.settled([asking]);
    expect(await blockOf(house, asking)).toMatchObject({ cause: 'question', questionId: question.id });
    await house.ok(['question', 'answer', question.id, 'red']);
    await vi.waitFor(async () => expect((await house.task(asking)).phase.state).toBe('done'), 30_000);
    expect((await prompts(house, asking))[1]).toContain('You asked: Which colour?\n  > The answer is: red');
  });

  fullOnly('is withdrawn when its task is canceled while it runs', async () => {
    await using house = await faultHouse();
    await house.up();
    const id = await house.create(scenario('twoway\nask Which colour?\ndone'), ...scripted);
    const question = await oneQuestion(house);
    await house.ok(['task', 'cancel', id]);
    await house.settled([id]);
    await vi.waitFor(async () => expect((await questionsIn(house, '--all'))[0]?.state).toBe('withdrawn'), 20_000);
    const { code, err } = await house.fleet(['question', 'answer', question.id, 'red']);
    expect({ code, err }).toMatchObject({ code: expect.any(Number), err: expect.stringContaining('withdrawn') });
  });

  fullOnly('on a page that is a link, a pipe or a flood is left alone', async () => {
    await using house = await faultHouse();
    await house.up();
    const secret = join(house.directory, 'secret.md');
    await writeFile(secret, '## Question\nWhat is the password?\n');
    const steps = `sh rm "$FLEET_ARTIFACT_DIR/Q&A.md"; ln -s '${secret}' "$FLEET_ARTIFACT_DIR/Q&A.md"\nend blocked I stop`;
    const id = await house.create(scenario(steps), ...scripted);
    const flood = `sh head -c 400000 /dev/zero | tr '\\0' 'x' >> "$FLEET_ARTIFACT_DIR/Q&A.md"; printf '\\n## Question\\nToo late?\\n' >> "$FLEET_ARTIFACT_DIR/Q&A.md"\nend blocked I stop`;
    const other = await house.create(scenario(flood), ...scripted);
    await house.settled([id, other]);
    expect((await blockOf(house, id))?.cause).toBe('agent');
    expect((await blockOf(house, other))?.cause).toBe('agent');
    expect(await questionsIn(house, '--all')).toEqual([]);
    expect(await readFile(secret, 'utf8')).toBe('## Question\nWhat is the password?\n');
  });
});
