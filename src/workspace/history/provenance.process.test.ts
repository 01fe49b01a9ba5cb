import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFault } from '../../domain/fault.ts';
import { AT, gitGround, WHO } from '../fixtures/git-ground.ts';
import { combine } from '../land/combine.ts';
import { blame, trailersOf, writeProvenance } from './provenance.ts';

const ONE = { task: 't1', run: 'r1', executor: 'claude', model: 'large' };
const TWO = { task: 't2', run: 'r2', executor: 'codex' };

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (isFault(error) ? [error.code, error.message] : error),
  );

describe('who is behind a line', () => {
  it('is told by the note of its commit [WORK-11]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const tip = await ground.commit(repo, 'main', { 'a.txt': 'one\nTWO\nthree\n' });
    await writeProvenance(repo, [tip], ONE, ground.env);
    const lines = await blame(repo, { file: 'a.txt', ref: tip }, ground.env);
    expect(lines.map((line) => [line.line, line.text, line.provenance])).toEqual([
      [1, 'one', undefined],
      [2, 'TWO', ONE],
      [3, 'three', undefined],
    ]);
    expect(lines[1]).toMatchObject({ commit: tip, author: 'User', summary: 'work' });
    expect(await ground.git(repo, 'log', '-1', '--format=%N', '--notes=fleet', tip)).toBe(trailersOf(ONE));
    expect(await blame(repo, { file: 'a.txt', ref: tip, from: 2, to: 2 }, ground.env)).toEqual([lines[1]]);
  });

  it('stays as it was first told, also where others bring the commit along', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const tip = await ground.commit(repo, 'main', { 'a.txt': 'ONE\n' });
    await writeProvenance(repo, [tip], ONE, ground.env);
    const notes = await ground.git(repo, 'rev-parse', 'refs/notes/fleet');
    await writeProvenance(repo, [tip], ONE, ground.env);
    await writeProvenance(repo, [tip], TWO, ground.env);
    expect(await ground.git(repo, 'rev-parse', 'refs/notes/fleet')).toBe(notes);
    expect((await blame(repo, { file: 'a.txt', ref: tip }, ground.env))[0]?.provenance).toEqual(ONE);
  });

  it('is told through a rebase, a squash that keeps the trailers, and by the merge that brought it in [WORK-11]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const first = await ground.git(repo, 'rev-parse', 'main');
    const tip = await ground.commit(repo, first, { 'a.txt': 'one\nRUN\nthree\n' }, 'the work');
    await writeProvenance(repo, [tip], ONE, ground.env);
    await ground.git(repo, 'commit', '-q', '--allow-empty', '-m', 'meanwhile');
    await ground.git(repo, 'checkout', '-q', '-b', 'rebased', tip);
    await ground.git(repo, 'rebase', '-q', 'main');
    const provenanceAt = async (ref: string) =>
      (await blame(repo, { file: 'a.txt', ref, from: 2, to: 2 }, ground.env))[0]?.provenance;
    expect(await ground.git(repo, 'rev-parse', 'rebased')).not.toBe(tip);
    expect(await provenanceAt('rebased')).toEqual(ONE);
    const squash = await ground.commit(
      repo,
      first,
      { 'a.txt': 'one\nSQUASH\nthree\n' },
      `all of it\n\n${trailersOf(ONE)}\n${trailersOf(TWO)}`,
    );
    expect(await provenanceAt(squash)).toEqual(TWO);
    const plain = await ground.commit(
      repo,
      await ground.commit(repo, first, { 'z.txt': 'z\n' }),
      { 'a.txt': 'one\nPLAIN\nthree\n' },
      'plain',
    );
    const merge = await combine(
      repo,
      { onto: first, tip: plain, message: `Land it\n\n${trailersOf(TWO)}`, who: WHO, at: AT },
      ground.env,
    );
    if (merge.state !== 'merged') throw new Error(merge.state);
    const later = await ground.commit(repo, merge.commit, { 'later.txt': 'l\n' });
    expect(await provenanceAt(later)).toEqual(TWO);
    expect(await provenanceAt(plain)).toBeUndefined();
  });

  it('is told for files with hostile names, and refused in plain words', async () => {
    await using ground = await gitGround();
    const name = '-L "x"\n:(top)\u{1F600}.txt';
    const repo = await ground.repository('repo', { [name]: 'x\r\n\ty\n', 'empty.txt': '' });
    const look = (file: string, more: object = {}) => blame(repo, { file, ...more }, ground.env);
    expect((await look(name)).map(({ text }) => text)).toEqual(['x\r', '\ty']);
    expect(await look('empty.txt')).toEqual([]);
    expect(await faultOf(look(name, { from: 3 }))).toEqual(['invalid', `${name} has only 2 lines`]);
    expect(await faultOf(look(name, { from: 0 }))).toMatchObject(['invalid', expect.stringContaining('counted from 1')]);
    expect(await faultOf(look(name, { from: 2, to: 1 }))).toMatchObject(['invalid', expect.stringContaining('no range')]);
    expect(await faultOf(look('nothing'))).toMatchObject(['not_found', expect.stringContaining('there is no file "nothing"')]);
    expect(await faultOf(look(name, { ref: 'nowhere' }))).toEqual(['not_found', 'there is no commit "nowhere"']);
  });

  it('is written by many at once without losing any, and many commits in one go', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const commits: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      const tree = await ground.git(repo, 'rev-parse', 'main^{tree}');
      commits.push(await ground.git(repo, 'commit-tree', '-m', `commit ${n}`, tree));
    }
    const each = commits.slice(0, 6);
    await Promise.all([
      writeProvenance(repo, commits.slice(6), TWO, ground.env),
      ...each.map((commit, n) => writeProvenance(repo, [commit], { ...ONE, run: `r${n}` }, ground.env)),
    ]);
    const notes = await ground.git(repo, 'notes', '--ref=fleet', 'list');
    for (const commit of commits) expect(notes).toContain(commit);
    expect(await ground.git(repo, 'notes', '--ref=fleet', 'show', commits[3] ?? '')).toContain('Fleet-Run: r3');
    expect(await ground.git(repo, 'fsck', '--strict')).not.toMatch(/error|missing/);
    expect(await faultOf(writeProvenance(repo, ['1'.repeat(40)], ONE, ground.env))).toMatchObject([
      'not_found',
      expect.anything(),
    ]);
  });

  it('runs nothing that the repository names [WORK-13] [T11]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { 'a.txt': 'a\n', '.gitattributes': '* diff=evil\n' });
    const { command } = await ground.canary('blame');
    for (const key of ['diff.evil.textconv', 'diff.evil.command', 'core.fsmonitor', 'diff.external'])
      await ground.git(repo, 'config', key, command);
    await ground.git(repo, 'config', 'blame.ignoreRevsFile', join(ground.path, 'nothing'));
    expect(await blame(repo, { file: 'a.txt' }, ground.env)).toHaveLength(1);
    expect(await ground.canaries()).toEqual([]);
  });
});
