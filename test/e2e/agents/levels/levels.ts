import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../../tools/paths.mjs';
import { bubblewrap } from '../../../clis/bubblewrap.ts';
import type { Person } from '../../../support/cli-house.ts';

/** How far an agent is trusted, and who runs Fleet. */
export interface Level {
  readonly title: string;
  readonly trust: 'sandboxed' | 'apart';
  readonly flags: readonly string[];
  /** Absent: whoever runs the tests. */
  readonly as?: Person;
  /** Whom agents run as. */
  readonly agentUid: number;
  /** Why it cannot be had here. */
  readonly missing?: string;
}

const NOBODY: Person = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const me = process.getuid?.() ?? 0;
const box = await bubblewrap();
const noBox = 'missing' in box ? box.missing : undefined;

/** The path on which a bubblewrap that works is found, if there is one. */
export const pathOfBox = (path: string): string => ('directory' in box ? `${box.directory}:${path}` : path);

/** A checkout in a private home cannot be run by anybody else. */
async function cannotRun(as: Person): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, [join(root, 'dist', 'fleet.mjs'), '--version'], { ...as, cwd: '/', env: {} });
    return undefined;
  } catch {
    return 'an ordinary user cannot read this checkout';
  }
}

const maybe = (missing: string | undefined) => (missing === undefined ? {} : { missing });

export const levels: readonly Level[] = [
  {
    title: 'sandboxed, where Fleet runs as root and the agent as sandbox_user',
    trust: 'sandboxed',
    flags: ['--sandbox'],
    agentUid: NOBODY.uid,
    ...maybe(isRoot ? noBox : 'only root can give a sandbox to another user'),
  },
  {
    title: 'sandboxed, where an ordinary user runs Fleet',
    trust: 'sandboxed',
    flags: ['--sandbox'],
    ...(isRoot ? { as: NOBODY } : {}),
    agentUid: isRoot ? NOBODY.uid : me,
    ...maybe(noBox ?? (isRoot ? await cannotRun(NOBODY) : undefined)),
  },
  { title: 'kept apart', trust: 'apart', flags: ['--isolation', 'clone'], agentUid: me },
];
