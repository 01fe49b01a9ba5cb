import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { type Helper, startHelper } from '../../src/sandbox/helper.ts';
import { bubblewrap } from '../clis/bubblewrap.ts';

const found = await bubblewrap();

/** Where there is no bubblewrap that works, titles say so. */
export const inBox = (title: string, body: (box: Box) => Promise<void>): void =>
  'missing' in found
    ? it.skip(`${title}; not run: ${found.missing}`)
    : it(title, async () => {
        const directory = await realpath(await mkdtemp(join(tmpdir(), 'box-')));
        try {
          await body({ bwrap: join(found.directory, 'bwrap'), directory });
        } finally {
          await rm(directory, { recursive: true, force: true });
        }
      });

export interface Box {
  readonly bwrap: string;
  /** On the machine, and writable in the box. */
  readonly directory: string;
}

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a script of the shell in the same confinement as agents have, with nothing but one writable directory. */
export async function scriptIn({ bwrap, directory }: Box, script: string, more: Partial<Helper> = {}): Promise<Said> {
  const child = await startHelper({
    bwrap,
    mounts: [{ from: directory, at: directory, as: 'write' }],
    directory,
    env: { PATH: '/usr/bin:/bin', HOME: directory },
    command: ['/bin/sh', '-c', script],
    programs: [process.execPath],
    ...more,
  });
  const said = { out: '', err: '' };
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const)
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...said };
}
