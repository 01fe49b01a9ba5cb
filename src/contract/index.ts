import { backupDb, checkDb, exportDb, migrateDb, pruneDb, restoreDb } from './db.ts';
import { fleetStatus, initHome, setConfig, showConfig } from './home.ts';
import type { Operation } from './operation.ts';
import { addProject, listProjects, removeProject, setProject, showProject } from './project.ts';
import { answerQuestion, askQuestion, listQuestions } from './question.ts';
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
  showTask,
  taskEvents,
  unclaimTask,
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
  commentTask,
  dispatchTask,
  claimTask,
  completeTask,
  unclaimTask,
  cancelTask,
  deleteTask,
  exportTasks,
  importTasks,
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
