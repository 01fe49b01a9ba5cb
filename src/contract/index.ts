import { readInbox, reviewTask, runContext, submitReport } from './by-run.ts';
import { fleetCost, taskCost } from './cost.ts';
import { backupDb, checkDb, exportDb, migrateDb, pruneDb, restoreDb } from './db.ts';
import { listExecutors, showExecutor } from './executor.ts';
import { fleetStatus, initHome, setConfig, showConfig } from './home.ts';
import type { Operation } from './operation.ts';
import { liftPause, listPauses } from './pause.ts';
import { addProject, listProjects, removeProject, setProject, showProject } from './project.ts';
import { answerQuestion, askQuestion, listQuestions, showQuestion } from './question.ts';
import { cancelRun, listRuns, runLog, showRun, taskLog } from './run.ts';
import { runEvents, runFacts } from './run-events.ts';
import {
  cancelTask,
  claimTask,
  commentTask,
  completeTask,
  createTask,
  deleteTask,
  dispatchTask,
  editTask,
  listTasks,
  readyTasks,
  resumeTask,
  retryTask,
  sendTask,
  showTask,
  taskEvents,
  unclaimTask,
  waitTask,
} from './task.ts';
import { exportTasks, importTasks } from './task-transfer.ts';
import { createToken, linkToken, listTokens, revokeToken } from './token.ts';
import {
  approveTask,
  blameFile,
  cleanupTask,
  commitTask,
  diffTask,
  forkTask,
  listWorkspaces,
  mergeTask,
  pruneWorkspaces,
  pushTask,
  rejectTask,
  reportTask,
  restoreTask,
  verifyTask,
} from './work.ts';

/** Everything that can be asked of Fleet. The order is the order of `--help`. */
export const contract = [
  initHome,
  showConfig,
  setConfig,
  listExecutors,
  showExecutor,
  addProject,
  listProjects,
  showProject,
  setProject,
  removeProject,
  createTask,
  editTask,
  listTasks,
  readyTasks,
  showTask,
  taskEvents,
  taskLog,
  taskCost,
  waitTask,
  sendTask,
  commentTask,
  dispatchTask,
  claimTask,
  completeTask,
  unclaimTask,
  cancelTask,
  retryTask,
  resumeTask,
  forkTask,
  diffTask,
  reportTask,
  reviewTask,
  approveTask,
  rejectTask,
  mergeTask,
  verifyTask,
  commitTask,
  pushTask,
  restoreTask,
  cleanupTask,
  deleteTask,
  exportTasks,
  importTasks,
  listWorkspaces,
  pruneWorkspaces,
  listRuns,
  showRun,
  runLog,
  runEvents,
  runFacts,
  cancelRun,
  runContext,
  submitReport,
  readInbox,
  askQuestion,
  listQuestions,
  showQuestion,
  answerQuestion,
  listPauses,
  liftPause,
  createToken,
  linkToken,
  listTokens,
  revokeToken,
  fleetStatus,
  fleetCost,
  blameFile,
  migrateDb,
  checkDb,
  backupDb,
  restoreDb,
  exportDb,
  pruneDb,
] as const satisfies readonly Operation[];

export type Declared = (typeof contract)[number];
export type OperationName = Declared['name'];
export type Named<Name extends OperationName> = Extract<Declared, { name: Name }>;
