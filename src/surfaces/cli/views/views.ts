import type { OutputOf } from '../../../contract/call.ts';
import type { OperationName } from '../../../contract/index.ts';
import { fleetCost, taskCost } from './cost/cost.ts';
import { pauseLifted, pauseList } from './cost/pause.ts';
import { executorList, executorPage } from './executor/executor.ts';
import { configChanged, configShown } from './home/config.ts';
import { dbAccepted, dbBackedUp, dbChecked, dbExported, dbMigrated, dbPruned, dbRestored } from './home/db.ts';
import { homeMade } from './home/home.ts';
import { fleetStatus } from './home/status.ts';
import { projectAdded, projectList, projectPage, projectRemoved } from './project/project.ts';
import { questionAsked, questionCard, questionList } from './question/question.ts';
import { inbox, reportSubmitted, runContext } from './run/by-run.ts';
import { eventLines } from './run/events.ts';
import { factsPage } from './run/facts.ts';
import { runList } from './run/list.ts';
import { logLines } from './run/log.ts';
import { runPage } from './run/page.ts';
import { type ViewDeps, type ViewStyle, viewStyleOf } from './style.ts';
import { taskDiff } from './task/diff.ts';
import {
  commentAdded,
  messageSent,
  taskAgain,
  taskCreated,
  taskDeleted,
  taskEvents,
  taskForked,
  taskLine,
  taskOpened,
  tasksImported,
} from './task/lines.ts';
import { readyList, taskList } from './task/list.ts';
import { taskPage } from './task/page.ts';
import { taskReport } from './task/report.ts';
import { taskWait } from './task/wait.ts';
import { tokenLinked, tokenList, tokenMade, tokenRevoked } from './token/token.ts';
import { blame } from './work/blame.ts';
import { branchPushed, taskCleaned, taskCommitted, taskLands, taskRejected, taskVerifies, workRestored } from './work/lines.ts';
import { workspaceDeleted, workspaceList, workspacesPruned } from './work/workspace-list.ts';

/** Operations whose answer is read by programs: for people too, JSON is the view. */
export const JSON_IS_THE_VIEW = ['task.export'] as const satisfies readonly OperationName[];

type Seen = Exclude<OperationName, (typeof JSON_IS_THE_VIEW)[number]>;

/** How a person reads each answer. An operation without a view does not compile. */
export const VIEWS: { readonly [Name in Seen]: (output: OutputOf<Name>, look: ViewStyle) => string } = {
  'home.init': homeMade,
  'config.show': configShown,
  'config.set': configChanged,
  'executor.list': executorList,
  'executor.show': executorPage,
  'project.add': projectAdded,
  'project.list': projectList,
  'project.show': projectPage,
  'project.set': projectPage,
  'project.remove': projectRemoved,
  'task.create': taskCreated,
  'task.edit': taskCreated,
  'task.list': taskList,
  'task.ready': readyList,
  'task.show': taskPage,
  'task.events': taskEvents,
  'task.log': logLines,
  'task.open': taskOpened,
  'task.cost': taskCost,
  'task.wait': taskWait,
  'task.send': messageSent,
  'task.comment': commentAdded,
  'task.dispatch': taskLine,
  'task.claim': taskLine,
  'task.complete': taskLine,
  'task.unclaim': taskLine,
  'task.cancel': taskLine,
  'task.retry': taskAgain,
  'task.resume': taskAgain,
  'task.fork': taskForked,
  'task.diff': taskDiff,
  'task.report': taskReport,
  'task.review': taskCreated,
  'task.approve': taskLands,
  'task.reject': taskRejected,
  'task.merge': taskLands,
  'task.verify': taskVerifies,
  'task.commit': taskCommitted,
  'task.push': branchPushed,
  'task.restore': workRestored,
  'task.cleanup': taskCleaned,
  'task.delete': taskDeleted,
  'task.import': tasksImported,
  'workspace.list': workspaceList,
  'workspace.prune': workspacesPruned,
  'workspace.delete': workspaceDeleted,
  'run.list': runList,
  'run.show': runPage,
  'run.log': logLines,
  'run.events': eventLines,
  'run.facts': factsPage,
  'run.cancel': taskLine,
  'run.context': runContext,
  'report.submit': reportSubmitted,
  'inbox.read': inbox,
  'question.ask': questionAsked,
  'question.list': questionList,
  'question.show': questionCard,
  'question.answer': questionCard,
  'question.withdraw': questionCard,
  'pause.list': pauseList,
  'pause.lift': pauseLifted,
  'token.create': tokenMade,
  'token.link': tokenLinked,
  'token.list': tokenList,
  'token.revoke': tokenRevoked,
  'fleet.status': fleetStatus,
  'fleet.cost': fleetCost,
  'fleet.blame': blame,
  'db.migrate': dbMigrated,
  'db.check': dbChecked,
  'db.backup': dbBackedUp,
  'db.restore': dbRestored,
  'db.accept': dbAccepted,
  'db.export': dbExported,
  'db.prune': dbPruned,
};

export function view(operation: OperationName, output: unknown, surroundings: ViewDeps): string {
  const render = (VIEWS as Readonly<Partial<Record<OperationName, (output: never, look: ViewStyle) => string>>>)[operation];
  return render ? render(output as never, viewStyleOf(surroundings)) : `${JSON.stringify(output, null, 2)}\n`;
}
