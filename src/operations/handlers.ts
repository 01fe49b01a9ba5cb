import { costHandlers } from './cost/cost.ts';
import { executorHandlers } from './executor/executor.ts';
import { dbHandlers } from './home/db.ts';
import { homeHandlers } from './home/home.ts';
import { pauseHandlers } from './pause/pause.ts';
import { projectHandlers } from './project/project.ts';
import { questionHandlers } from './question/question.ts';
import { byRunHandlers } from './run/by-run.ts';
import { runHandlers } from './run/run.ts';
import type { Handlers } from './scope.ts';
import { taskChangeHandlers } from './task/changes.ts';
import { createTaskHandler } from './task/create.ts';
import { editTaskHandler } from './task/edit.ts';
import { forkTaskHandler } from './task/fork.ts';
import { taskListHandlers } from './task/list.ts';
import { openTaskHandler } from './task/open.ts';
import { taskTransferHandlers } from './task/transfer.ts';
import { tokenHandlers } from './token/token.ts';
import { workHandlers } from './work/work.ts';
import { workspaceHandlers } from './work/workspace.ts';

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
