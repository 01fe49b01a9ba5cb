import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../domain/fault.ts';
import type { RunId } from '../domain/values.ts';
import type { RunOutput } from '../operations/scope.ts';
import { belowPlace, inDirectory } from '../platform/agent-path.ts';
import { hasCode, makeOnceSync } from '../platform/files.ts';
import { lookSync, textSafelySync } from '../platform/read-safely-sync.ts';
import { digestsOf, keyName } from '../redact/digest.ts';
import { type Redactor, redactor } from '../redact/redactor.ts';
import type { HomePaths } from './home.ts';

/*
 * What must be hidden in the output of a run are the secrets its agent had, and whoever reads it may not have them. Each
 * run directory therefore says what they are without saying them: digests under a key of the home.
 */

/** In a run directory. */
const FILE = 'secrets.json';
const KEY_BYTES = 32;
const MOST_REMEMBERED = 1_000;
/** Far more than an environment has room for. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** Something else stands in its place: what the agent had is then not known, and reading says so. */
const NO_FILE = { mtimeMs: -1, size: -1 };

const Told = z.strictObject({
  key: z.string(),
  digests: z.array(
    z.strictObject({ bytes: z.int().min(1), window: z.int().min(1), print: z.int().min(0).max(0xffff), hash: z.string() }),
  ),
});

export interface RunSecrets {
  /** The file for the directory of a run whose agent has these secrets. */
  fileFor(secrets: readonly string[]): { readonly name: string; readonly text: string };
  /** What takes the secrets out of its output: those its agent had, those this process has, and what looks like one. */
  redactorFor(runId: RunId): Promise<Redactor>;
  /** The same, but where it cannot be known what its agent had, for the rest of it alone. */
  knownFor(runId: RunId): Promise<Redactor>;
  /** For those this process has, and what looks like one. */
  own(): Redactor;
}

/** `own` are the secrets of this process; what they explain is looked for as it is, which is faster. */
export function runSecrets(paths: Pick<HomePaths, 'path' | 'runs'>, own: readonly string[]): RunSecrets {
  const keyFile = join(paths.path, 'redaction.key');
  let made: Redactor | undefined;
  // Most commands never read output.
  const mine = (): Redactor => (made ??= redactor(own));
  const told = tellerOf(keyFile);
  const remembered = new Map<string, { readonly changed: string; readonly redact: Redactor }>();
  const secretsOf: RunSecrets = {
    own: mine,
    fileFor: (secrets) => ({ name: FILE, text: told(secrets) }),
    knownFor: (runId) => secretsOf.redactorFor(runId).catch(mine),
    redactorFor: async (runId) => {
      const file = join(paths.runs, runId, FILE);
      // Asked for every slice that is read, and far shorter than a trip to another thread.
      const found = lookSync(belowPlace(file)) ?? (existsSync(file) ? NO_FILE : undefined);
      // Nothing has been started there yet, or it was by a Fleet that did not write it.
      if (!found) return mine();
      // Without its key nobody knows it any more, also not who knew it a moment ago.
      const changed = `${found.mtimeMs} ${found.size} ${lookSync(inDirectory(keyFile))?.mtimeMs}`;
      const before = remembered.get(runId);
      if (before?.changed === changed) return before.redact;
      const redact = redactorIn(file, { keyFile, own, mine });
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(runId, { changed, redact });
      return redact;
    },
  };
  return secretsOf;
}

/** For texts that came another way than by output: of a run, or of nobody knows whom. */
export const cleaners = ({ knownFor, own }: RunSecrets): Pick<RunOutput, 'redactor' | 'clean' | 'known'> => ({
  redactor: knownFor,
  clean: (text) => own()(text),
  known: async (runIds) => {
    const all = [...new Set([own(), ...(await Promise.all(runIds.map(knownFor)))])];
    return (text) => all.reduce((left, one) => one.known(left), text);
  },
});

/** Most runs have the same secrets as the one before, and the key is the same: then so is what their file says. */
function tellerOf(keyFile: string): (secrets: readonly string[]) => string {
  let last: { readonly about: string; readonly text: string } | undefined;
  return (secrets) => {
    const found = statSync(keyFile, { throwIfNoEntry: false });
    const about = JSON.stringify([found?.ino, found?.mtimeMs, found?.size, secrets]);
    if (found && last?.about === about) return last.text;
    const key = madeKey(keyFile);
    last = { about, text: JSON.stringify({ key: keyName(key), digests: digestsOf(secrets, key) }) };
    return last.text;
  };
}

interface Mine {
  readonly keyFile: string;
  readonly own: readonly string[];
  mine(): Redactor;
}

function redactorIn(file: string, { keyFile, own, mine }: Mine): Redactor {
  const told = Told.safeParse(jsonIn(file));
  if (!told.success) throw refusal(file, 'it cannot be read');
  if (told.data.digests.length === 0) return mine();
  const key = keyIn(keyFile);
  if (key === undefined || keyName(key) !== told.data.key) throw refusal(file, `it needs another key than ${keyFile} holds now`);
  const explained = new Set(digestsOf(own, key).map(({ hash }) => hash));
  const digests = told.data.digests.filter(({ hash }) => !explained.has(hash));
  return digests.length === 0 ? mine() : redactor(own, { digests, key });
}

/** Showing it all would show what must be hidden. */
const refusal = (file: string, why: string): Fault =>
  new Fault('forbidden', `which secrets the output may hold is not known: ${file}: ${why}`, {
    hint: 'the output itself lies beside that file, with everything in it',
  });

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(textSafelySync(belowPlace(file), MOST_BYTES) ?? '');
  } catch {
    return undefined;
  }
}

function keyIn(file: string): Buffer | undefined {
  try {
    return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  } catch (error) {
    return nothingThere(error);
  }
}

/** Random, and the same for as long as the home exists. Written before it has its name: nobody reads half a key. */
function madeKey(file: string): Buffer {
  const found = keyIn(file);
  if (found) return found;
  makeOnceSync(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
  return madeKey(file);
}

const nothingThere = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  return undefined;
};
