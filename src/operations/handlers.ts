import { byRunHandlers } from './by-run.ts';
import { costHandlers } from './cost.ts';
import { dbHandlers } from './db.ts';
import { executorHandlers } from './executor.ts';
import { homeHandlers } from './home.ts';
import { pauseHandlers } from './pause.ts';
import { projectHandlers } from './project.ts';
import { questionHandlers } from './question.ts';
import { runHandlers } from './run.ts';
import type { Handlers } from './scope.ts';
import { taskChangeHandlers } from './task-changes.ts';
import { createTaskHandler } from './task-create.ts';
import { editTaskHandler } from './task-edit.ts';
import { forkTaskHandler } from './task-fork.ts';
import { taskListHandlers } from './task-list.ts';
import { openTaskHandler } from './task-open.ts';
import { taskTransferHandlers } from './task-transfer.ts';
import { tokenHandlers } from './token.ts';
import { workHandlers } from './work.ts';
import { workspaceHandlers } from './workspace.ts';

export const handlers: Handlers = {
  ...homeHandlers,
  ...executorHandlers,
  ...projectHandlers,
  'task.create': createTaskHandler,
  'task.edit': editTaskHandler,
  'task.fork': forkTaskHandler,
  'task.open': openTaskHandler,
  ...taskListHandlers,
  ...taskChangeHandlers,
  ...taskTransferHandlers,
  ...runHandlers,
  ...byRunHandlers,
  ...workHandlers,
  ...workspaceHandlers,
  ...questionHandlers,
  ...pauseHandlers,
  ...costHandlers,
  ...tokenHandlers,
  ...dbHandlers,
};
