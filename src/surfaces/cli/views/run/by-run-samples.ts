import type { OutputOf } from '../../../../contract/call.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import type { Question } from '../../../../domain/question/question.ts';
import { packetReportOf } from '../../../../domain/run/packet.ts';
import type { QuestionId, RunId, TaskId } from '../../../../domain/values.ts';

interface Around {
  readonly taskId: TaskId;
  readonly questionId: QuestionId;
  ago(seconds: number): string;
}

export const sampleQuestion = ({ taskId, questionId, ago }: Around): Question => ({
  id: questionId,
  seq: 1,
  taskId,
  askedBy: 'claude',
  text: 'Which port should the server use?',
  options: ['8080', '9090'],
  state: 'pending',
  createdAt: ago(60),
  updatedAt: ago(60),
});

type ByRun =
  | 'run.context'
  | 'report.submit'
  | 'inbox.read'
  | 'task.review'
  | 'question.ask'
  | 'question.list'
  | 'question.show'
  | 'question.answer'
  | 'question.withdraw';

const reportSample = (taskId: TaskId, runId: RunId, ago: Around['ago']): OutputOf<'report.submit'> => ({
  runId,
  taskId,
  at: ago(3),
  channel: 'mcp',
  status: 'succeeded',
  summary: 'The clock is an argument now; the test is green fifty times in a row.',
  done: ['made the clock an argument'],
  open: [],
  tested: ['test/login.test.ts'],
  untested: [],
  tests: [{ command: 'npm test', status: 'passed' }],
  nextSteps: ['do the same for the session test'],
  errors: [],
  files: [],
  commits: [],
  doubts: [],
  claimedFiles: ['src/login.ts'],
});

export function byRunSamples(
  { task, review, runId, ago }: { task: TaskView; review: TaskView; runId: RunId; ago: Around['ago'] },
  question: Question,
): { readonly [Name in ByRun]: OutputOf<Name> } {
  const answered: Question = { ...question, state: 'answered', answer: { text: '8080', by: 'you', at: ago(1) } };
  const report = reportSample(task.id, runId, ago);
  const neighbour = {
    taskId: review.id,
    title: review.title,
    state: 'done' as const,
    branch: 'fleet/8a2m9xqb',
    report: packetReportOf(report),
  };
  return {
    'run.context': {
      runId,
      attempt: 2,
      executor: 'claude',
      task: {
        id: task.id,
        title: task.title,
        prompt: task.prompt,
        acceptance: 'the test is green fifty times in a row',
        kind: 'implement',
        expectsChanges: true,
        branch: 'fleet/7k2m9xqa',
        base: 'a'.repeat(40),
        depthLeft: 2,
        partsLeft: 99,
        unheard: 1,
      },
      project: { name: 'site', targetBranch: 'main', verify: 'npm test' },
      team: 'web',
      notes: `/home/you/.fleet/tasks/${task.id}/artifacts`,
      parent: { taskId: review.id, title: 'Make the tests quiet', prompt: 'All of them are to be green.' },
      dependencies: [neighbour],
      reviews: [neighbour],
      leftOut: [],
      recent: [neighbour],
      earlier: [{ runId, attempt: 1, outcome: 'crashed', detail: 'it was ended by signal 9', at: ago(240) }],
      questions: [answered],
    },
    'report.submit': report,
    'inbox.read': {
      taskId: task.id,
      items: [{ n: 2, at: ago(30), by: 'ada', text: 'leave the parser alone', state: 'heard' }],
    },
    'task.review': review,
    'question.ask': question,
    'question.list': { items: [question] },
    'question.show': answered,
    'question.answer': answered,
    'question.withdraw': { ...question, state: 'withdrawn', withdrawn: { by: 'you', at: ago(1), why: 'either will do' } },
  };
}
