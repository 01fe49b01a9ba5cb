import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { inFullRun } from '../../../test/full-only.ts';
import { bundlePrograms } from '../../platform/bundle.ts';
import { type Ground, ground } from '../fixtures/ground.ts';
import type { Site } from '../site.ts';
import { provision } from '../tree/provision.ts';

const programs = bundlePrograms({
  'take-in': new URL('../fixtures/take-in.ts', import.meta.url),
  'die-at': new URL('../fixtures/die-at.ts', import.meta.url),
  collector: new URL('./collector.ts', import.meta.url),
  'git-helper': new URL('../git/git-helper.ts', import.meta.url),
});
const fileOf = (name: string): string => fileURLToPath(new URL(`${name}.mjs`, programs));

interface Taken {
  readonly kept: string;
  readonly done: string;
  readonly tip: string;
}

/** What it said, or undefined when it was killed. */
const takeIn = (at: Ground, site: Site, dieAt: number): Promise<Taken | undefined> =>
  new Promise((resolve, reject) => {
    const args = ['--import', fileOf('die-at'), fileOf('take-in'), JSON.stringify(site)];
    const env = { ...at.env, FLEET_TEST_DIE_AT: String(dieAt) };
    execFile(process.execPath, args, { env }, (error, out, err) => {
      if (!error) resolve(JSON.parse(out) as Taken);
      else if (error.signal === 'SIGKILL') resolve(undefined);
      else reject(new Error(err));
    });
  });

const refs = (at: Ground): string[] => at.git(at.repository, 'for-each-ref', '--format=%(objectname) %(refname)').split('\n');

it('is taken in whole or not at all, and taken again, whatever moment its taker is killed at [R29]', async () => {
  let [dieAt, isKilled] = [1, true];
  // One that was not killed any more had no moment left.
  for (; isKilled; dieAt += inFullRun ? 1 : 11) isKilled = await killedAt(dieAt);
  expect(dieAt).toBeGreaterThan(20);
});

/** Each moment has a clone of its own: every taking adds packs, and with them moments. Whether it came to be killed. */
async function killedAt(dieAt: number): Promise<boolean> {
  using at = ground();
  const site = at.site('1', 'clone');
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  const write = (round: number): string => {
    writeFileSync(join(site.path, 'own.txt'), `own ${round}\n`);
    at.git(site.path, 'add', '-A');
    at.git(site.path, 'commit', '-qm', `own ${round}`);
    writeFileSync(join(site.path, 'loose.txt'), `loose ${round}\n`);
    return at.git(site.path, 'rev-parse', 'HEAD');
  };
  write(1);
  const before = await takeIn(at, site, 0);
  const own = write(2);
  const first = await takeIn(at, site, dieAt);
  // What its refs name is there, and they name what was before or what is now.
  expect(at.git(at.repository, 'fsck', '--strict', '--no-dangling')).not.toMatch(/error|missing|broken/);
  for (const line of refs(at)) {
    const [id = '', name = ''] = line.split(' ');
    const isBefore = id === at.start || id === before?.kept || id === before?.tip;
    if (!isBefore) expect([name, at.git(at.repository, 'show', `${id}:loose.txt`)]).toEqual([name, 'loose 2']);
  }
  const again = first ?? (await takeIn(at, site, 0));
  expect(at.git(at.repository, 'rev-parse', 'refs/fleet/kept/1', 'x/one')).toBe(`${again?.kept}\n${again?.tip}`);
  expect(again?.tip).toBe(again?.done);
  expect(at.git(at.repository, 'show', 'x/one:loose.txt', 'x/one:own.txt')).toBe('loose 2\nown 2');
  expect(at.git(at.repository, 'merge-base', 'x/one', own)).toBe(own);
  expect(at.git(site.path, 'status', '--porcelain', '-b')).toBe('## x/one');
  expect(readdirSync(`${site.path}.fleet`).sort()).toEqual(['excludes', 'history', 'index', 'mark.json', 'store']);
  return first === undefined;
}
