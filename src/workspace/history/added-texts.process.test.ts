import { describe, expect, it } from 'vitest';
import { gitGround } from '../fixtures/git-ground.ts';
import { addedIn, addedTexts } from './added-texts.ts';

const MOST = 1_000_000;

describe('texts that commits bring in', () => {
  it('are those of every commit, of what is taken out again, of binary files, and of what commits say', async () => {
    await using ground = await gitGround();
    const { env } = ground;
    const repo = await ground.repository('repo', { 'a.txt': 'one\ntwo\n', 'gone.txt': 'was there\n' });
    const base = await ground.git(repo, 'rev-parse', 'HEAD');
    const first = await ground.commit(repo, 'main', {
      'a.txt': 'one\n++ b/not a head\nfirst\n',
      bin: 'a\0in bytes\0b',
      'gone.txt': null,
    });
    const tip = await ground.commit(repo, first, { 'a.txt': 'one\n', 'sub/b c': 'last' });
    const added = (await addedTexts(repo, { base, tip, maxBytes: MOST }, env)) ?? [];
    const by = (path: string | undefined) => added.filter((one) => one.path === path).map(({ text }) => text);
    expect(by(undefined)).toEqual([expect.stringContaining('work')]);
    expect(by('a.txt')).toEqual(['++ b/not a head\nfirst']);
    expect(by('sub/b c').join()).toContain('last');
    expect(by('bin').join()).toContain('in bytes');
    expect(JSON.stringify(added)).not.toContain('was there');
  });

  it('are those a merge adds by itself, too', () => {
    const patch = [
      'diff --cc m',
      'index 1,2..3',
      '--- a/m',
      '+++ b/m',
      '@@@ -1,1 -1,1 +1,2 @@@',
      '++evil',
      '+ ours',
      ' -gone',
    ].join('\n');
    expect(addedIn(patch)).toEqual([{ path: 'm', text: 'evil\nours' }]);
  });

  it('are not read beyond so many bytes, and that is told', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const base = await ground.git(repo, 'rev-parse', 'HEAD');
    const tip = await ground.commit(repo, 'main', { large: 'x'.repeat(5_000) });
    expect(await addedTexts(repo, { base, tip, maxBytes: 4_000 }, ground.env)).toBeUndefined();
    expect(await addedTexts(repo, { base, tip, maxBytes: MOST }, ground.env)).toBeDefined();
  });
});
