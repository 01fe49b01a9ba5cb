import { expect, vi } from 'vitest';
import { onMain } from '../../../support/work-house.ts';
import { everywhere, levelHouse } from './level-house.ts';

/** What it does depends on how far the work is, because who begins anew plays the same turn again. */
const NEXT = [
  'if [ ! -e a.txt ]; then f=a.txt; elif [ ! -e mended.txt ]; then f=mended.txt; elif [ ! -e again.txt ]; then f=again.txt; else f=copy.txt; fi',
  'echo heron > $f; git add $f; git commit -qm "add $f"; echo made $f',
].join('; ');

everywhere(
  'goes on in its conversation after a red gate and after a reject, and in a fork with its work [RUN-16] [RUN-09]',
  async (agent, level) => {
    await using house = await levelHouse(agent, level, `run ${NEXT}\nsay It is done.`);
    // A conversation of one of them can be gone on with in the next minute of the clock.
    const pause = agent.losesItsMinute ? 'sleep $((61 - $(date +%-S))); ' : '';
    await house.ok(['project', 'set', 'shop', '--verify', `${pause}test -e mended.txt`]);
    await house.wake();
    const id = await house.task('Make the next file.', '--integration', 'review');
    const [task] = await house.rested([id], 300);
    expect(task).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } }, repairs: 1, trust: level.trust });
    expect(house.played.problems).toEqual([]);
    await house.ok(['task', 'reject', id, 'look at the crane again']);
    await vi.waitFor(async () => expect(await house.agentRuns(id)).toHaveLength(3));
    await house.rested([id], 300);
    const runs = await house.agentRuns(id);
    expect(runs.map(({ phase }) => phase.outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(house.lastAsked()).toContain('look at the crane again');
    const sessions = runs.map(({ watch }) => watch?.session);
    if (agent.cannot['goes on'] === undefined) {
      // The one that loses its minute goes on once; what it began anew after that has its work, and not its words.
      const kept = agent.losesItsMinute ? 2 : 3;
      expect(sessions.slice(0, kept)).toEqual(Array(kept).fill(sessions[0]));
      const made = ['a.txt', 'mended.txt', 'again.txt'].slice(kept === 3 ? 0 : 2);
      for (const file of made) expect(house.lastAsked()).toContain(`made ${file}`);
    }
    const fork = (await house.ok(['task', 'fork', id, 'the other way', '--json'])).json<{ id: string; trust: string }>();
    expect(fork.trust).toBe(level.trust);
    const [copied] = await house.rested([fork.id], 300);
    expect(copied).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
    expect(house.lastAsked()).toContain('the other way');
    const [copy] = await house.agentRuns(fork.id);
    expect(sessions).not.toContain(copy?.watch?.session);
    // In a sandbox each task has a home of its own, and the conversation of another is not in it.
    const isCopied = level.trust !== 'sandboxed' && agent.cannot.copies === undefined;
    if (isCopied) expect(house.lastAsked()).toContain('made again.txt');
    await house.ok(['task', 'approve', fork.id]);
    expect(await house.rested([fork.id], 200)).toMatchObject([{ phase: { state: 'done' } }]);
    for (const file of ['a.txt', 'mended.txt', 'again.txt', 'copy.txt']) expect(await onMain(house, file)).toBe('heron');
    expect((await house.says('log', '--format=%s', 'main')).split('\n')).toEqual(
      expect.arrayContaining(['add a.txt', 'add mended.txt', 'add again.txt', 'add copy.txt']),
    );
  },
);
