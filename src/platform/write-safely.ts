import { constants } from 'node:fs';
import { open, rename, rm, unlink } from 'node:fs/promises';
import { type AgentPath, partsOf } from './agent-path.ts';
import { hasCode, PRIVATE_FILE, temporaryName } from './files.ts';
import { likeDirectorySync } from './like-directory.ts';
import { hold, NotPlain, namesIn } from './safe-place.ts';

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Replaces a file where an agent can write, whole or not at all: no link is followed on any component below its
 * root, a directory that Fleet itself made, so that nothing lands outside of it. `isStill` is asked as late as can be: where it says
 * no, nothing is written. Answers whether it was; throws where a directory on the way is missing or is none.
 */
export async function replaceSafely(
  path: AgentPath,
  text: string,
  isStill: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const { root, relative } = partsOf(path);
  const names = namesIn(relative);
  const name = names.at(-1) ?? '';
  await using place = await hold(root, names.slice(0, -1));
  const temporary = place.at(temporaryName(name));
  try {
    await writeNew(temporary, text, place.at('.'));
    if (!(await isStill())) return false;
    await rename(temporary, place.at(name));
    return true;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** Removes what is there with all that lies in it. A link on the way to it is not followed, and is as good as nothing there. */
export async function removeSafely(path: AgentPath): Promise<void> {
  const { root, relative } = partsOf(path);
  const names = namesIn(relative);
  try {
    await using place = await hold(root, names.slice(0, -1));
    await rm(place.at(names.at(-1) ?? ''), { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof NotPlain || hasCode(error, 'ENOENT'))) throw error;
  }
}

async function writeNew(path: string, text: string, directory: string): Promise<void> {
  await using file = await open(path, NEW, PRIVATE_FILE);
  await file.writeFile(text);
  likeDirectorySync(file.fd, directory);
}
