import { expect, vi } from 'vitest';
import { onMain } from '../../../support/work-house.ts';
import { everywhere, levelHouse } from './level-house.ts';

const PART = '```scenario\nsh id -u > part.txt\ncommit part\ndone the part\n```';

everywhere(
  'asks a person, goes on with the answer, and hands on a part that is trusted no more than it is [TASK-09] [RUN-16]',
  async (agent, level) => {
    const scenario = [
      `call ask_human_question ${JSON.stringify({ text: 'Which bird?' })}`,
      "run echo '{result /heron-\\w+/}' > answer.txt; git add -A; git commit -qm answered",
      `call create_subtask ${JSON.stringify({ prompt: PART, title: 'the part', executor: 'scripted', wait: true })}`,
      'say Both are done.',
    ].join('\n');
    await using house = await levelHouse(agent, level, scenario);
    await house.wake();
    // What its parts may be done by, its task says.
    const id = await house.task('Ask and hand on.', '--executor', 'scripted');
    const question = await vi.waitFor(async () => {
      const { items } = (await house.ok(['question', 'list', '--task', id, '--json'])).json<{
        items: { id: string; text: string }[];
      }>();
      if (!items[0]) throw new Error('it has not asked');
      return items[0];
    });
    expect(question.text).toBe('Which bird?');
    await house.ok(['question', 'answer', question.id, 'heron-blue']);
    const [task] = await house.rested([id], 300);
    expect(house.played.problems).toEqual([]);
    expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect(await onMain(house, 'answer.txt')).toBe('heron-blue');
    const part = (await house.all()).find((one) => one.title === 'the part');
    expect(part).toMatchObject({ phase: { state: 'done' }, parentId: id });
    expect((await house.show(part?.id ?? '')) as object).toMatchObject({ trust: level.trust });
    expect(await onMain(house, 'part.txt')).toBe(String(level.agentUid));
  },
);
