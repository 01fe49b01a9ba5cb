import { closeSync, constants, mkdirSync, openSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type AgentPath, partsOf } from './agent-path.ts';
import { hasCode, PRIVATE_DIRECTORY, PRIVATE_FILE, temporaryName } from './files.ts';
import { likeDirectorySync } from './like-directory.ts';
import { type HeldDirectory, holdSync, NotPlain, namesIn } from './safe-place.ts';

interface Place {
  readonly path: string;
  /**
   * A directory of Fleet's own above it. Below that an agent may write too, and no link of its making is followed. Absent
   * where nobody else writes.
   */
  readonly below?: string | undefined;
}

/** Where an agent can write, as data for another process: only what lays it looks there. */
export function placeAt(at: AgentPath): Place {
  const { root, relative: names } = partsOf(at);
  return { path: join(root, names), below: root };
}

/** One thing that is to be there, as data: it may be handed to another process to be done. */
export type FileOp =
  | (Place & { readonly lay: 'directory' })
  /** Stays as it is where there is one. */
  | (Place & { readonly lay: 'once'; readonly text: string })
  | (Place & { readonly lay: 'file'; readonly text: string })
  /** Seen whole by whoever reads it meanwhile, or not at all. */
  | (Place & { readonly lay: 'whole'; readonly text: string })
  | (Place & { readonly lay: 'link'; readonly target: string });

/**
 * Puts everything where it belongs, in this order; doing it again changes nothing. What stands in the way of a file is
 * replaced and never written through. Nothing is flushed to disk. Synchronous: a dozen short calls, where as many trips to
 * other threads take milliseconds on a busy machine.
 */
export function applyFileOpsSync(steps: readonly FileOp[]): void {
  let last: { readonly directory: string; readonly below: string | undefined; readonly held: HeldDirectory } | undefined;
  try {
    for (const step of steps) {
      if (step.lay === 'directory') {
        makeDirectories(step);
        continue;
      }
      const directory = dirname(step.path);
      if (last?.directory !== directory || last.below !== step.below) {
        last?.held.close();
        last = undefined;
        last = { directory, below: step.below, held: heldFor(directory, step.below) };
      }
      layOne(step, last.held);
    }
  } finally {
    last?.held.close();
  }
}

const namesBelow = (below: string, path: string): readonly string[] => (path === below ? [] : namesIn(relative(below, path)));

const heldFor = (directory: string, below: string | undefined): HeldDirectory =>
  plainly(directory, () => holdSync(below ?? directory, below === undefined ? [] : namesBelow(below, directory)));

function makeDirectories({ path, below }: Place): void {
  if (below === undefined) return void mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  mkdirSync(below, { recursive: true, mode: PRIVATE_DIRECTORY });
  plainly(path, () => holdSync(below, namesBelow(below, path), true)).close();
}

/** Says where something else than a directory is in the way. */
function plainly<Answer>(path: string, work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
    throw new Error(`${path} or something above it is no directory of its own (${error.why}): move it away`, { cause: error });
  }
}

function layOne(step: Exclude<FileOp, { lay: 'directory' }>, { at }: HeldDirectory): void {
  const name = basename(step.path);
  const make = (path: string) => (step.lay === 'link' ? symlinkSync(step.target, path) : writeNew(path, step.text, at('.')));
  if (step.lay === 'once') unlessThere(() => make(at(name)));
  else if (step.lay === 'whole' || !unlessThere(() => make(at(name)))) replaced(at, name, make);
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function writeNew(path: string, text: string, directory: string): void {
  const file = openSync(path, NEW, PRIVATE_FILE);
  try {
    writeFileSync(file, text);
    likeDirectorySync(file, directory);
  } finally {
    closeSync(file);
  }
}

function replaced(at: (name: string) => string, name: string, make: (path: string) => void): void {
  const temporary = at(temporaryName(name));
  try {
    make(temporary);
    renameSync(temporary, at(name));
  } catch (error) {
    unlinkQuietly(temporary);
    throw error;
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or has its name already.
  }
}

/** Whether it was made now. */
function unlessThere(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return false;
  }
}
