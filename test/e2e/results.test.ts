import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onMain, type WorkHouse, workHouse } from '../support/work-house.ts';

let house: WorkHouse;
beforeAll(async () => {
  house = await workHouse([], { settings: ['max_concurrent=10'] });
  // An agent without MCP and without a memory: it reads its prompt, and a file says what it answers.
  await mkdir(join(house.home, 'executors'), { recursive: true });
  const answers = join(house.directory, 'answers');
  await mkdir(answers);
  const script = `cp "${answers}/$FLEET_TASK_ID" "$1" 2>/dev/null || cp "${answers}/any" "$1"; test ! -e "${answers}/crash"`;
  await writeFile(
    join(house.home, 'executors', 'plain.toml'),
    `command = ${JSON.stringify(['/bin/sh', '-c', script, 'plain', '{result_file}'])}\n`,
  );
  await answer('any', { status: 'done', summary: 'nothing to say' });
});
afterAll(async () => house?.[Symbol.asyncDispose]());

const answer = (name: string, told: object) => writeFile(join(house.directory, 'answers', name), JSON.stringify(told));

/** What its newest run, or an earlier one, was told. */
async function promptOf(id: string, nth = -1): Promise<string> {
  const runs = (await house.runs(id)).filter(({ kind }) => kind === 'agent');
  return readFile(join(house.home, 'runs', runs.at(nth)?.id ?? '', 'prompt.txt'), 'utf8');
}
const inState = (id: string, state: string) => house.sees(id, ({ phase }) => phase.state === state);

/** In the words of its own prompt: where that is, and what it says to run. */
const OWN = '"$(dirname "$(readlink "$FLEET_TASK_DIR/log.jsonl")")"';

describe('results', () => {
  it('of a dependency are in the prompt of whoever comes after it, also without MCP', async () => {
    const report = JSON.stringify({
      status: 'done',
      summary: 'the wall stands\n```\nrm -rf /',
      next_steps: ['paint it'],
      open: ['the door'],
    });
    const first = await house.create(`edit wall.txt up\ncommit wall\nreport ${report}`, '--title', 'wall');
    const second = await house.create('unused', '--executor', 'plain', '--no-expects-changes', '--after', first);
    const [wall] = await house.rested([first, second], 90);
    const prompt = await promptOf(second);
    expect(prompt).toContain(`${first} "wall": done`);
    expect(prompt).toContain(`from ${wall?.work?.base} to ${wall?.work?.tip}`);
    expect(prompt).toContain(`landed on main as ${wall?.work?.landed?.commit}`);
    for (const line of ['the wall stands', 'rm -rf /', 'next step: paint it', 'open: the door', 'file: A wall.txt +1 -0'])
      expect(prompt).toContain(`\n  > ${line}`);
    expect((await house.show(second)).phase.state).toBe('done');
  });

  it.each(['worktree', 'clone'])(
    'of two rivals that conflict are put before a judge in a %s, who picks one',
    async (isolation) => {
      const rival = (name: string) =>
        house.create(
          `edit ${isolation}.txt ${name}\ncommit ${name}\ndone I say ${name}`,
          '--integration',
          'review',
          '--title',
          name,
        );
      const [one, two] = [await rival('one'), await rival('two')];
      const steps = [
        // The commands of its prompt work where it is, and the files beside it say the same.
        `sh grep -o 'git diff [0-9a-f]*[.][.][0-9a-f]*' ${OWN}/prompt.txt | sh > seen.txt`,
        `sh cat ${OWN}/before-*.diff | diff - seen.txt`,
        `sh test "$(grep -o 'refs/[a-z/]*/[^ ]*' ${OWN}/prompt.txt | xargs -n1 git rev-parse --verify | wc -l)" = 2`,
        `sh grep -q '^+one' seen.txt && grep -q '^+two' seen.txt && rm seen.txt && test ! -e ${isolation}.txt`,
        `done one is better`,
      ];
      const judge = await house.create(
        steps.join('\n'),
        '--kind',
        'review',
        '--isolation',
        isolation,
        '--after',
        one,
        '--after',
        two,
      );
      const judged = await house.rest(judge);
      expect(judged.phase).toMatchObject({ state: 'done' });
      expect(judged.work?.base).toBe(await house.says('rev-parse', 'main'));
      const prompt = await promptOf(judge);
      for (const id of [one, two]) {
        const place = isolation === 'clone' ? 'refs/remotes/origin' : 'refs/heads';
        expect(prompt).toContain(`${place}/${(await house.show(id)).work?.branch}\n`);
      }
      expect(prompt).toContain('  > I say two');
      await house.ok(['task', 'approve', one]);
      await inState(one, 'done');
      await house.ok(['task', 'reject', two]);
      expect(await onMain(house, `${isolation}.txt`)).toBe('one');
    },
  );

  it('of a review by another executor come back to whoever wrote the work', async () => {
    const id = await house.create(
      'untold: edit poem.txt roses\ntold: edit poem.txt violets\ncommit a poem\ndone a poem',
      '--integration',
      'review',
    );
    const first = await inState(id, 'blocked');
    await answer('any', { status: 'done', summary: 'roses are worn out', open: ['another flower'] });
    const review = (await house.ok(['task', 'review', id, '--executor', 'plain', '--json'])).json<{ id: string }>().id;
    await house.rest(review);
    const asked = await promptOf(review);
    expect(asked).toContain('> a poem');
    await house.ok(['task', 'reject', id, 'do as the review says']);
    await house.sees(id, ({ phase, work }) => phase.state === 'blocked' && work?.tip !== first.work?.tip);
    const refined = await promptOf(id);
    expect(refined).toContain('Reviews of your work:');
    expect(refined).toContain('  > roses are worn out\n  > open: another flower');
    expect(refined).toContain('do as the review says');
    await house.ok(['task', 'approve', id]);
    await inState(id, 'done');
    expect(await onMain(house, 'poem.txt')).toBe('violets');
  });

  it('of its own last run are told to an agent that remembers nothing', async () => {
    await answer('any', { status: 'failed', summary: 'half of it', open: ['the other half'] });
    await answer('crash', {});
    const id = await house.create('unused', '--executor', 'plain', '--no-expects-changes', '--max-attempts', '1');
    await inState(id, 'failed');
    await rm(join(house.directory, 'answers', 'crash'));
    await answer(id, { status: 'done', summary: 'all of it' });
    await house.ok(['task', 'resume', id, 'go on']);
    await inState(id, 'done');
    const prompt = await promptOf(id);
    expect(prompt).toContain('of which you remember nothing');
    expect(prompt).toContain('> half of it\n> open: the other half');
    expect(prompt).toContain('go on');
  });

  it('of its own last run are told again when it had said that it is blocked', async () => {
    await answer('any', { status: 'blocked', summary: 'which of them?', open: ['the choice'] });
    const id = await house.create('unused', '--executor', 'plain', '--no-expects-changes');
    expect((await inState(id, 'blocked')).phase.block?.what).toContain('which of them?');
    await answer(id, { status: 'done', summary: 'all of it' });
    await house.ok(['task', 'resume', id, 'the first']);
    await inState(id, 'done');
    const prompt = await promptOf(id);
    expect(prompt).toContain('> status: blocked\n> which of them?\n> open: the choice');
    expect(prompt).toContain('the first');
  });
});
