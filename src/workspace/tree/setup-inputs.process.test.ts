import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ground } from '../fixtures/ground.ts';
import { isContained, setupInputs } from './setup-inputs.ts';

const FILES = { lock: '1', 'a/lock': '1', 'tools/x/install.sh': '1', 'odd name (1).txt': '1', other: '1' };

describe('what a set-up depends on [WORK-03]', () => {
  it('is every file of a commit, or those the project names', async () => {
    using at = ground(FILES);
    const patterns = ['/lock', 'tools/**', 'odd name (1).txt'];
    const after = async (change: () => void) => {
      change();
      at.git(at.repository, 'add', '-A');
      at.git(at.repository, 'commit', '-qm', 'next');
      return setupInputs(at.repository, { commit: at.git(at.repository, 'rev-parse', 'HEAD'), patterns }, at.env);
    };
    const first = await setupInputs(at.repository, { commit: at.start, patterns }, at.env);
    expect(first?.tree).toBe(at.git(at.repository, 'rev-parse', `${at.start}^{tree}`));
    const second = await after(() => {
      at.write('shop/other', '2');
      at.write('shop/a/lock', '2');
      at.write('shop/new', '2');
    });
    expect(second?.inputs).toBe(first?.inputs);
    expect(second?.tree).not.toBe(first?.tree);
    const seen = [first?.inputs];
    for (const change of [
      () => at.write('shop/lock', '2'),
      () => at.write('shop/tools/y', '2'),
      () => chmodSync(join(at.repository, 'tools/x/install.sh'), 0o755),
      () => at.write('shop/odd name (1).txt', '2'),
    ]) {
      const { inputs } = (await after(change)) ?? {};
      expect(seen).not.toContain(inputs);
      expect(inputs).toBeTypeOf('string');
      seen.push(inputs);
    }
  });

  it('follows from the list of names too, and is everything where one of them is nowhere', async () => {
    using at = ground(FILES);
    const of = async (...patterns: string[]) =>
      (await setupInputs(at.repository, { commit: at.start, patterns }, at.env))?.inputs;
    expect(await of()).toBeUndefined();
    expect(await of('lock', 'lokc')).toBeUndefined();
    expect(await of('LOCK')).toBeUndefined();
    expect(await of('lock')).not.toBe(await of('/lock'));
    expect(await of('lock')).toBe(await of('lock'));
  });

  it('is not known of a commit the repository does not have', async () => {
    using at = ground(FILES);
    for (const commit of ['f'.repeat(40), 'HEAD', '--all', ''])
      expect(await setupInputs(at.repository, { commit, patterns: [] }, at.env)).toBeUndefined();
    const tip = at.start;
    expect(await isContained(at.repository, { commit: tip, tip }, at.env)).toBe(true);
    for (const commit of ['f'.repeat(40), 'HEAD']) expect(await isContained(at.repository, { commit, tip }, at.env)).toBe(false);
  });
});
