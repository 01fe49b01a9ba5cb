import { constants, lstatSync } from 'node:fs';
import { lstat, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import type { TaskId } from '../domain/values.ts';
import type { EngineNeeds } from '../engine/engine.ts';
import type { Pages } from '../engine/questions/needs.ts';
import { hasCode, PRIVATE_FILE, temporaryName } from '../platform/files.ts';
import { notePlaces, QUESTIONS_PAGE } from './notes.ts';
import type { House } from './open-house.ts';

/** Questions on pages, asked and answered by the same operations as everywhere else. */
export const questionsOf = (house: House): NonNullable<EngineNeeds['questions']> => ({
  pages: pagesOf(house.paths.tasks),
  ask: async ({ text, options }, { taskId, runId }) => {
    const input = { text, option: [...options] };
    const byPage = async () => (await house.callAs(PAGE)('question.ask', { ...input, task: taskId })).id;
    if (!runId) return byPage();
    const byRun = house.callAs({ id: runId, name: runId, role: 'run', run: { runId, taskId } });
    try {
      return (await byRun('question.ask', input)).id;
    } catch (error) {
      // It has ended meanwhile; what it wrote is still a question.
      if (isFault(error, 'conflict')) return byPage();
      throw error;
    }
  },
  answer: async (id, text) => void (await house.callAs(PAGE)('question.answer', { id, text })),
});

/** Whoever wrote it there: the page does not know. */
const PAGE = { id: 'page', name: QUESTIONS_PAGE, role: 'team-lead' } as const;

/** The file is the agent's too: it may be a link, a pipe or far too long, and none of that is followed, waited for or believed. */
function pagesOf(tasksDirectory: string): Pages {
  const directoryOf = (taskId: TaskId) => notePlaces(tasksDirectory, taskId).artifacts;
  const pathOf = (taskId: TaskId) => join(directoryOf(taskId), QUESTIONS_PAGE);
  return {
    stamp: (taskId) => {
      const found = lstatSync(pathOf(taskId), { throwIfNoEntry: false });
      return found?.isFile() ? `${found.ino}.${found.size}.${found.mtimeMs}` : undefined;
    },
    read: (taskId) => pageIn(pathOf(taskId)),
    replace: async (taskId, before, after) => {
      if (!(await lstat(directoryOf(taskId))).isDirectory()) return false;
      const path = pathOf(taskId);
      const temporary = temporaryName(path);
      try {
        await writeFile(temporary, after, { flag: 'wx', mode: PRIVATE_FILE });
        // Looked at as late as can be: whoever has written meanwhile keeps what they wrote, and it is taken next.
        if ((await pageIn(path)) !== before) return false;
        await rename(temporary, path);
        return true;
      } finally {
        await unlink(temporary).catch(() => undefined);
      }
    },
  };
}

async function pageIn(path: string): Promise<string | undefined> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await handle.stat();
    return found.isFile() && found.size <= LIMITS.pageBytes.value ? await readFile(handle, 'utf8') : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP')) return undefined;
    throw error;
  }
}
