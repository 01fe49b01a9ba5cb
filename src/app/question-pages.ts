import { isFault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import type { RunId, TaskId } from '../domain/values.ts';
import { mapTexts } from '../domain/work/report.ts';
import type { EngineOptions } from '../engine/engine.ts';
import type { QuestionPages } from '../engine/questions/deps.ts';
import { below } from '../platform/agent-path.ts';
import { textSafely } from '../platform/read-safely.ts';
import { lookSync } from '../platform/read-safely-sync.ts';
import { replaceSafely } from '../platform/write-safely.ts';
import { runIndex } from '../store/records/runs.ts';
import { notePlaces, QUESTIONS_PAGE } from './notes.ts';
import type { FleetServices } from './open-services.ts';

/** Questions on pages, asked and answered by the same operations as everywhere else. */
export const questionsOf = (house: FleetServices): NonNullable<EngineOptions['questions']> => ({
  pages: pagesOf(house.paths.tasks),
  ask: async ({ text, options }, { taskId, runId }) => {
    const input = { text, option: [...options] };
    const byPage = async () => {
      const clean = await wordsOf(house, taskId, runId);
      return (await house.callAs(PAGE)('question.ask', { ...mapTexts(input, clean), task: taskId })).id;
    };
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
  answer: async (id, text) => void (await house.callAs(PAGE)('question.answer', { id, text: house.output.clean(text) })),
});

/** A page does not know who wrote there: most likely the agent that worked on the task last. */
async function wordsOf(
  { store, output }: FleetServices,
  taskId: TaskId,
  runId: RunId | undefined,
): Promise<(text: string) => string> {
  const [newest] = runId ? [] : await store.scan({ index: runIndex.agents(taskId), limit: 1, reverse: true });
  const run = runId ?? (newest?.key.id as RunId | undefined);
  return run ? output.redactor(run) : output.clean;
}

/** Whoever wrote it there: the page does not know. */
const PAGE = { id: 'page', name: QUESTIONS_PAGE, role: 'team-lead' } as const;

/** The file is the agent's too: it may be a link, a pipe or far too long, and none of that is followed, waited for or believed. */
function pagesOf(tasksDirectory: string): QuestionPages {
  const pageOf = (taskId: TaskId) => below(notePlaces(tasksDirectory, taskId).artifacts, QUESTIONS_PAGE);
  const read = (taskId: TaskId) => textSafely(pageOf(taskId), LIMITS.pageBytes.value);
  return {
    stamp: (taskId) => {
      const found = lookSync(pageOf(taskId));
      return found && `${found.ino}.${found.size}.${found.mtimeMs}`;
    },
    read,
    replace: (taskId, before, after) =>
      // Whoever has written meanwhile keeps what they wrote, and it is taken next.
      replaceSafely(pageOf(taskId), after, async () => (await read(taskId)) === before),
  };
}
