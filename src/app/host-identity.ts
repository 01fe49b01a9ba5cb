import { randomBytes } from 'node:crypto';
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../domain/fault.ts';
import { FormerHost } from '../domain/host.ts';
import { HostId } from '../domain/values.ts';
import { hasCode, makeDirectory, makeOnceSync, PRIVATE_FILE, temporaryName } from '../platform/files.ts';
import { machineId } from '../platform/machine-id.ts';
import { hostName } from '../platform/process-identity.ts';
import { makeIds } from './make-ids.ts';
import { withFileLock } from './settings/file-lock.ts';

/**
 * Who this home is among the hosts of a fleet. The id is made once and kept in the home, so that no change of the machine's
 * name, of its network or of the path of the home makes another host of it. A copy of the home notices that it is one, and
 * gets an id and a mark of its own: the processes of the original are not its own.
 */
const Kept = z.object({
  id: HostId,
  /** Where the home was when this was written: a copy finds the original there. */
  path: z.string(),
  machine: z.string().optional(),
  former: z.array(FormerHost).default([]),
});
type Kept = z.infer<typeof Kept>;

export interface HostIdentity {
  readonly id: HostId;
  /** What people call the machine. Never compared. */
  readonly name: string;
  /** Ids under which rows of this home may still stand. */
  readonly former: readonly FormerHost[];
}

const FILE = 'host.json';
const MARK = 'mark';

export async function hostIdentity(home: string): Promise<HostIdentity> {
  await makeDirectory(home);
  const here = { path: await realpath(home), machine: await machineId() };
  const kept = (await read(home)) ?? (await first(home, here));
  const now = isAsWritten(kept, here)
    ? kept
    : await withFileLock(join(home, `${FILE}.lock`), async () => {
        const again = (await read(home)) ?? kept;
        if (isAsWritten(again, here)) return again;
        return (await isCopy(again, here)) ? renewed(home, again, here) : moved(home, again, here);
      });
  return { id: now.id, name: hostName(), former: now.former };
}

type Here = Pick<Kept, 'path' | 'machine'>;

const isAsWritten = (kept: Kept, here: Here): boolean =>
  kept.path === here.path && (kept.machine === here.machine || here.machine === undefined);

async function read(home: string): Promise<Kept | undefined> {
  const file = join(home, FILE);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const found = Kept.safeParse(parsed(text));
  if (found.success) return found.data;
  throw new Fault('unavailable', `${file} does not say which host this is: expected {"id": "host_…", "path": "…"}`, {
    file,
    hint: 'put it back from a backup of the home, or remove it: the home then takes up its runs under a new id',
  });
}

/** Rows of programs from before hosts had ids carry the name the machine had. */
async function first(home: string, here: Here): Promise<Kept> {
  const made: Kept = { id: newId(), ...here, former: [{ host: hostName(), why: 'named' }] };
  // Of two processes that come first together, one wins, and both go by its file.
  makeOnceSync(join(home, FILE), textOf(made));
  return (await read(home)) ?? made;
}

/** On another machine, or beside the home it was copied from, which is still there. */
async function isCopy(kept: Kept, here: Here): Promise<boolean> {
  if (kept.machine !== undefined && here.machine !== undefined && kept.machine !== here.machine) return true;
  if (kept.path === here.path) return false;
  const original = await read(kept.path).catch(() => undefined);
  return original?.id === kept.id && (await realpath(kept.path).catch(() => undefined)) !== here.path;
}

/** The mark goes first: whoever dies in between finds a copy again and does the same. */
async function renewed(home: string, kept: Kept, here: Here): Promise<Kept> {
  await replace(join(home, MARK), `${randomBytes(16).toString('hex')}\n`);
  // Says where the server of the original is.
  await rm(join(home, 'up.json'), { force: true });
  await rm(join(home, 'agents.json'), { force: true });
  const next: Kept = { id: newId(), ...here, former: [...kept.former, { host: kept.id, why: 'copied' }] };
  await replace(join(home, FILE), textOf(next));
  return next;
}

async function moved(home: string, kept: Kept, here: Here): Promise<Kept> {
  const next: Kept = { ...kept, path: here.path, machine: here.machine ?? kept.machine };
  await replace(join(home, FILE), textOf(next));
  return next;
}

async function replace(file: string, text: string): Promise<void> {
  const temporary = temporaryName(file);
  await writeFile(temporary, text, { flag: 'wx', mode: PRIVATE_FILE });
  await rename(temporary, file);
}

const newId = (): HostId => makeIds().host();
const textOf = (kept: Kept): string => `${JSON.stringify(kept)}\n`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
