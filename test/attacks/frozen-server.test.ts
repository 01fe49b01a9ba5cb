import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, scenario } from '../fixtures/fault-house.ts';

const NOTES = ['PLAN_AND_STATUS.md', 'KNOWLEDGE.md', 'Q&A.md'];
/** Puts something else into the place of every note. */
const notesAs = (make: string): string =>
  `sh cd "$FLEET_ARTIFACT_DIR" && for f in ${NOTES.map((name) => `'${name}'`).join(' ')}; do rm -rf "$f"; ${make}; done`;

/** Asks for the health of the server all the time, and remembers the longest it took to answer. */
async function watched(house: FaultHouse) {
  const told = await vi.waitFor(() => readFile(join(house.home, 'up.json'), 'utf8'), 60_000);
  const { url } = JSON.parse(told) as { url: string };
  const ended = new AbortController();
  let [slowestMs, answers] = [0, 0];
  const watching = (async () => {
    while (!ended.signal.aborted) {
      const began = performance.now();
      const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(120_000) });
      await answer.text();
      answers += 1;
      slowestMs = Math.max(slowestMs, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await watching;
    },
    seen: async () => {
      ended.abort();
      // Rejects when one of them was not answered.
      await watching;
      return { slowestMs, answers };
    },
  };
}

/** A task with a directory of its own: all of them run at once. */
async function placed(house: FaultHouse, prompt: string): Promise<string> {
  const directory = await mkdtemp(join(house.work, 'place-'));
  return (await house.ok(['task', 'create', '--directory', directory, '--prompt', prompt, '--json'])).json<{ id: string }>().id;
}

/** Frozen for good is what the attacker wanted; a busy machine is slow, but not so slow. */
const FROZEN_MS = 60_000;

describe('an agent that wants the server to stand still', () => {
  it('puts pipes, directories, links and devices where notes are read, five at once, and everybody else goes on [T13] [R31]', async () => {
    await using house = await faultHouse(['executor=scripted']);
    await house.up();
    const twice = (plant: string) => scenario(`attempt 1: ${plant}\nattempt 1: context 95 100\nattempt 1: hang\ndone after all`);
    const bad = await Promise.all(
      [
        notesAs('mkfifo "$f"'),
        notesAs('mkdir "$f"'),
        notesAs('ln -s /dev/zero "$f"'),
        `${notesAs('mkfifo "$f"')}; cd "$FLEET_TASK_DIR" && for f in task.json .task.json.written events.jsonl; do rm -rf "$f"; mkfifo "$f"; done`,
        'sh rm -f "$FLEET_RUN_DIR/result.json" && mkfifo "$FLEET_RUN_DIR/result.json" && cd "$FLEET_TASK_DIR" && rm -rf artifacts && mkfifo artifacts',
      ].map((plant) => placed(house, twice(plant))),
    );
    await using health = await watched(house);
    const good = await Promise.all([1, 2, 3].map((n) => placed(house, scenario(`say ${n}\ndone fine`))));
    await house.settled([...bad, ...good], 300_000);
    for (const id of good) expect((await house.task(id)).phase.state).toBe('done');
    for (const id of bad) expect((await house.outcomes(id))[0]).toBe('context_full');
    // Where its notes are no directory any more the next run cannot begin: it gives its place back and says so.
    expect((await house.ok(['task', 'show', bad.at(-1) ?? ''])).out).toContain('is no directory of its own');
    const later = await placed(house, scenario('done later'));
    await house.settled([later], 300_000);
    const { slowestMs, answers } = await health.seen();
    expect(answers).toBeGreaterThan(3);
    expect(slowestMs).toBeLessThan(FROZEN_MS);
  });

  it('puts pipes where git keeps its own files, and landings and diffs of others go on [T13]', async () => {
    await using house = await faultHouse(['keep_seconds=15']);
    const repo = await house.repository('shop');
    await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'auto']);
    await house.up();
    await using health = await watched(house);
    const inShop = async (isolation: string, script: string) => {
      const words = ['task', 'create', '--project', 'shop', '--isolation', isolation, '--prompt', `${script}\nexit 0`, '--json'];
      return (await house.ok(words)).json<{ id: string }>().id;
    };
    const bad = await Promise.all([
      inShop('worktree', 'echo a > a.txt; d=$(git rev-parse --git-dir); touch "$d/BISECT_LOG"; mkfifo "$d/BISECT_START"'),
      inShop('clone', 'echo b > b.txt; d=$(git rev-parse --git-dir); mkfifo "$d/commondir"'),
      inShop(
        'clone',
        'echo c > c.txt; d=$(git rev-parse --git-dir); rm -f "$d/packed-refs"; mkfifo "$d/packed-refs" "$d/shallow"',
      ),
      inShop('worktree', 'echo d > d.txt; d=$(git rev-parse --git-dir); rm -f "$d/index"; mkfifo "$d/index"'),
    ]);
    await house.settled(bad, 300_000);
    for (const id of bad) await house.fleet(['task', 'diff', id]);
    const good = await inShop('worktree', 'echo fine > fine.txt');
    await house.settled([good], 300_000);
    expect((await house.task(good)).phase.state).toBe('done');
    expect((await house.ok(['task', 'diff', good])).out).toContain('fine.txt');
    expect((await health.seen()).slowestMs).toBeLessThan(FROZEN_MS);
  });
});
