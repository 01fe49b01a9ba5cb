import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { confineOf } from '../../src/app/confined.ts';
import { startHelper } from '../../src/sandbox/helper.ts';
import { type Ground, ground } from '../../src/workspace/fixtures/ground.ts';
import type { Confine, Means } from '../../src/workspace/private/confine.ts';
import { privateMounts } from '../../src/workspace/private/places.ts';
import type { Site } from '../../src/workspace/site.ts';
import { provision } from '../../src/workspace/tree/provision.ts';
import { bubblewrap } from '../clis/bubblewrap.ts';

const found = await bubblewrap();

/** A project with a private clone of a sandboxed agent. */
export interface PrivateGround {
  readonly at: Ground;
  readonly site: Site;
  /** How Fleet looks at it: in a sandbox. */
  readonly means: Means & { readonly confine: Confine };
  /** The agent: a script of the shell in a sandbox that shows its clone and nothing else. */
  agent(script: string): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** Where there is no bubblewrap that works, titles say so. */
export const withPrivateClone = (
  title: string,
  body: (clone: PrivateGround) => Promise<void>,
  files?: Record<string, string>,
): void =>
  'missing' in found
    ? it.skip(`${title}; not run: ${found.missing}`)
    : it(title, async () => {
        using at = ground(files);
        const site: Site = { ...at.site('1', 'clone'), trust: 'sandboxed' };
        await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
        const env = { ...at.env, PATH: `${found.directory}:${process.env['PATH']}` };
        const means = { confine: confineOf(env), lookMs: 20_000 };
        await body({ at, site, means, agent: (script) => agentIn(join(found.directory, 'bwrap'), site, script) });
      });

async function agentIn(bwrap: string, site: Site, script: string) {
  const mounts = privateMounts(site);
  if (!mounts) throw new Error(`${site.path} is no private clone`);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'agent-home-')));
  try {
    const child = await startHelper({
      bwrap,
      mounts: [
        { from: home, at: home, as: 'write' },
        { from: mounts.tree, at: mounts.tree, as: 'write' },
        { from: mounts.agentGit, at: mounts.at, as: 'write' },
        { from: mounts.objects.from, at: mounts.objects.at, as: 'read' },
      ],
      directory: site.path,
      env: { PATH: '/usr/bin:/bin', HOME: home, ...WHO },
      command: ['/bin/sh', '-c', script],
      programs: [],
    });
    const said = { out: '', err: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said.out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said.err += text;
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, ...said };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const WHO = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'agent'],
    [`GIT_${role}_EMAIL`, 'agent@example.invalid'],
  ]),
);
