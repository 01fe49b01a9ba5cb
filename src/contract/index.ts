import { backupDb, checkDb, exportDb, migrateDb, pruneDb, restoreDb } from './db.ts';
import { fleetStatus, initHome, setConfig, showConfig } from './home.ts';
import type { Operation } from './operation.ts';
import { addProject, listProjects, removeProject, setProject, showProject } from './project.ts';
import { answerQuestion, askQuestion, listQuestions } from './question.ts';
import { cancelRun, listRuns, runLog, showRun, taskLog } from './run.ts';
import {
  cancelTask,
  claimTask,
  commentTask,
  completeTask,
  createTask,
  deleteTask,
  dispatchTask,
  editTask,
  exportTasks,
  importTasks,
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

/** Everything that can be asked of Fleet. The order is the order of `--help`. */
export const contract = [
  initHome,
  showConfig,
  setConfig,
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
  deleteTask,
  exportTasks,
  importTasks,
  listRuns,
  showRun,
  runLog,
  cancelRun,
  askQuestion,
  listQuestions,
  answerQuestion,
  fleetStatus,
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
