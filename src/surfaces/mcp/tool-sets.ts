import type { Standing } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import { isOpenTo, type Tool } from './tool.ts';
import { adminTools } from './tools/admin.ts';
import { fleetStatus, projectAdd, projectList, questionAnswer, questionAsk, questionList } from './tools/fleet.ts';
import { runTools } from './tools/run.ts';
import { subtaskTools } from './tools/subtasks.ts';
import { taskCollect, taskList, taskShow, taskWait } from './tools/task-looking.ts';
import { taskCreate, tasksCreate } from './tools/task-making.ts';
import {
  taskApprove,
  taskCancel,
  taskDispatch,
  taskFork,
  taskMerge,
  taskReject,
  taskResume,
  taskRetry,
  taskSend,
} from './tools/task-steering.ts';
import { inboxRead, taskClaim, taskComment, taskComplete, taskReady, taskUnclaim } from './tools/team.ts';

export interface ToolSet {
  readonly about: string;
  /** What the model is told before it sees a tool. */
  readonly instructions: string;
  /** Whether the prompts, which speak of its tools, belong to it. */
  readonly hasPrompts: boolean;
  readonly tools: readonly Tool[];
}

/** A model that sees ninety tools picks badly: each set is for one job. */
export const TOOL_SETS = {
  orchestrate: {
    about: 'hand work to agents, wait for it, read it, decide about it',
    instructions:
      'Fleet runs coding agents in the background. Create tasks, wait for them with task_wait (call it again while it says pending), read the ' +
      'outcome with task_collect, then approve, reject or retry. fleet_status shows everything at a glance. Tasks outlive this conversation.',
    hasPrompts: true,
    tools: [
      taskCreate,
      tasksCreate,
      taskWait,
      taskCollect,
      taskList,
      taskShow,
      taskDispatch,
      taskSend,
      taskCancel,
      taskRetry,
      taskResume,
      taskFork,
      taskApprove,
      taskReject,
      taskMerge,
      fleetStatus,
      questionList,
      questionAnswer,
      projectList,
      projectAdd,
    ],
  },
  team: {
    about: 'take work from the queue yourself and hand it in',
    instructions:
      'You work beside other agents. Find work with task_ready, take it with task_claim, hand it in with task_complete. Say what others ' +
      'must know with task_comment and task_send, and ask people with question_ask.',
    hasPrompts: false,
    tools: [
      taskReady,
      taskClaim,
      taskComplete,
      taskUnclaim,
      taskComment,
      taskSend,
      taskCreate,
      taskWait,
      taskCollect,
      taskList,
      taskShow,
      inboxRead,
      questionAsk,
      questionList,
    ],
  },
  admin: {
    about: 'look after the fleet: settings, tokens, database, workspaces',
    instructions:
      'Tools of the owner of this fleet. What removes or changes something for all is done only when the user asks for it.',
    hasPrompts: false,
    tools: [fleetStatus, projectList, projectAdd, ...adminTools],
  },
  run: {
    about: 'what the agent of a run may do for its own task; lineage and rights come from its token',
    instructions:
      'You are an agent of a fleet and work on one task. get_task says everything about it. Hand parts of it to other agents with create_subtask when they can ' +
      'be done side by side. Ask a person with ask_human_question only what you cannot find out. Look into read_inbox between steps. Before you end, ' +
      'hand in what you did with submit_report.',
    hasPrompts: false,
    tools: [...runTools, ...subtaskTools],
  },
} as const satisfies Record<string, ToolSet>;

export type ToolSetName = keyof typeof TOOL_SETS;

/** Those a client may choose; an agent's run gets its own. */
export const CHOICES: readonly ToolSetName[] = ['orchestrate', 'team', 'admin'];

export function toolSetCalled(name: string): ToolSetName {
  const found = CHOICES.find((known) => known === name);
  if (!found) throw new Fault('invalid', `no tool set is called ${JSON.stringify(name)}: there are ${CHOICES.join(', ')}`);
  return found;
}

/** Those of a set whose every operation is open to the caller. */
export const toolsFor = (set: ToolSetName, standing: Standing): readonly Tool[] =>
  (TOOL_SETS[set] as ToolSet).tools.filter((tool) => isOpenTo(standing, tool));
