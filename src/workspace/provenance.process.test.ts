import { expect, it } from 'vitest';
import { gitGround } from './fixtures/git-ground.ts';
import { annotate, blame } from './provenance.ts';

it('tells the task, run, executor and model behind a line [WORK-11]', async () => {
  await using ground = await gitGround();
  const repo = await ground.repository();
  const tip = await ground.commit(repo, 'main', { 'a.txt': 'one\nTWO\nthree\n' });
  const provenance = { task: 't1', run: 'r1', executor: 'claude', model: 'large' };
  await annotate(repo, [tip], provenance, ground.env);
  const lines = await blame(repo, { file: 'a.txt', ref: tip }, ground.env);
  expect(lines.map((line) => [line.line, line.text, line.provenance])).toEqual([
    [1, 'one', undefined],
    [2, 'TWO', provenance],
    [3, 'three', undefined],
  ]);
});
