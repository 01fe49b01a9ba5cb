import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { TaskSpec } from '../domain/task/task.ts';
import { Instant, line, Path, RunId, TaskId, text, WorkspaceId } from '../domain/values.ts';
import { Evidence } from '../domain/work/evidence.ts';
import { Report } from '../domain/work/report.ts';
import { CommitId, Totals } from '../domain/work/work.ts';
import { Workspace } from '../domain/work/workspace.ts';
import { operation } from './operation.ts';
import { ifSeq, page, Ref, TaskView } from './shapes.ts';

/* Operations on the work of agents in a repository: show, approve, land, restore. */

const message = text(LIMITS.messageBytes.value).refine((value) => value.trim() !== '', 'is empty: say something');

export const diffTask = operation({
  name: 'task.diff',
  kind: 'query',
  role: 'monitor',
  summary: 'Show the changes of a task, committed or not.',
  input: z.strictObject({
    id: Ref,
    maxBytes: z.int().min(1).max(LIMITS.diffBytes.value).default(LIMITS.diffBytes.value).describe('maximum bytes of text'),
  }),
  output: z.strictObject({
    taskId: TaskId,
    branch: z.string(),
    base: CommitId,
    tip: CommitId,
    totals: Totals,
    text: z.string(),
    cut: z.boolean(),
  }),
  faults: ['not_found', 'conflict', 'unavailable'],
});

const wish = TaskSpec.shape;

export const forkTask = operation({
  name: 'task.fork',
  kind: 'command',
  role: 'team-lead',
  summary: 'Fork a task: a second task with a copy of its conversation and work, and its own branch.',
  input: z.strictObject({
    id: Ref,
    text: message.optional().describe('message to the agent of the fork'),
    title: wish.title.optional().describe('short name of the fork; by default that of the task, marked as a fork'),
    executor: wish.executors.min(1).optional().describe('executor of the fork; repeat for a fail-over list'),
    model: wish.model.describe('model, as that executor names it'),
    effort: wish.effort.describe('how hard the model should think'),
    ifSeq,
  }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const reportTask = operation({
  name: 'task.report',
  kind: 'query',
  role: 'monitor',
  summary: 'Show the reports of the agents of a task and the results of the gate.',
  input: z.strictObject({ id: Ref }),
  output: z.strictObject({
    taskId: TaskId,
    rejected: z
      .strictObject({
        by: z.string(),
        at: Instant,
        text: z.string(),
        tree: CommitId.optional(),
        unchanged: z.boolean().describe('whether the same tree was handed in again'),
      })
      .optional()
      .describe('the last rejection'),
    conflicts: z.array(z.string()).optional().describe('files in which the work conflicts with its target'),
    reports: z.array(Report),
    evidence: z.array(Evidence.extend({ stale: z.boolean().describe('whether the work has changed since') })),
  }),
  faults: ['not_found', 'unavailable'],
});

export const approveTask = operation({
  name: 'task.approve',
  kind: 'command',
  role: 'merger',
  summary: 'Approve finished work as it is now, so that it lands.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const rejectTask = operation({
  name: 'task.reject',
  kind: 'command',
  role: 'merger',
  summary: 'Reject finished work: with a text its agent tries again, without one the task ends.',
  input: z.strictObject({ id: Ref, text: message.optional().describe('what the agent should do better'), ifSeq }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const mergeTask = operation({
  name: 'task.merge',
  kind: 'command',
  role: 'merger',
  summary: 'Queue resting finished work to land on its target branch.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const verifyTask = operation({
  name: 'task.verify',
  kind: 'command',
  role: 'merger',
  summary: 'Run the gate on finished work once more.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const commitTask = operation({
  name: 'task.commit',
  kind: 'command',
  role: 'merger',
  summary: 'Commit the uncommitted files in the workspace of a resting task.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const pushTask = operation({
  name: 'task.push',
  kind: 'command',
  role: 'merger',
  summary: 'Push the target branch of landed work, or the task branch of work that has not landed.',
  input: z.strictObject({
    id: Ref,
    remote: line(LIMITS.refCharacters.value).optional().describe('remote to push to; by default the usual one'),
  }),
  output: z.strictObject({ taskId: TaskId, branch: z.string(), remote: z.string() }),
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const restoreTask = operation({
  name: 'task.restore',
  kind: 'command',
  role: 'worker',
  summary: 'Restore the kept work of a task as a branch.',
  input: z.strictObject({
    id: Ref,
    run: Ref.optional().describe('run whose work to restore; by default the newest'),
    branch: line(LIMITS.refCharacters.value).optional().describe('name of the branch; by default fleet/restored/…'),
  }),
  output: z.strictObject({ taskId: TaskId, runId: RunId.optional(), branch: z.string(), commit: CommitId }),
  faults: ['invalid', 'not_found', 'conflict', 'unavailable'],
});

export const cleanupTask = operation({
  name: 'task.cleanup',
  kind: 'command',
  role: 'team-lead',
  summary: 'Remove the workspace of a task, and its branch if the task has ended; kept work can be restored.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

const WorkspaceView = Workspace.extend({ project: z.string(), ports: z.string() });
export type WorkspaceView = z.infer<typeof WorkspaceView>;

export const listWorkspaces = operation({
  name: 'workspace.list',
  kind: 'query',
  role: 'monitor',
  summary: 'List the workspaces, their use and their paths.',
  input: z.strictObject({}),
  output: page(WorkspaceView),
  faults: ['unavailable'],
});

export const pruneWorkspaces = operation({
  name: 'workspace.prune',
  kind: 'command',
  role: 'team-lead',
  summary: 'Remove unused workspaces; the work in them is kept.',
  input: z.strictObject({ dryRun: z.boolean().default(false).describe('only show what would be removed') }),
  output: z.strictObject({ items: z.array(WorkspaceView), dryRun: z.boolean() }),
  faults: ['unavailable'],
});

export const deleteWorkspace = operation({
  name: 'workspace.delete',
  kind: 'command',
  role: 'team-lead',
  summary: 'Delete a workspace that was put aside, with all files in it.',
  input: z.strictObject({ id: WorkspaceId.describe('id of the workspace, as in fleet workspace list') }),
  output: WorkspaceView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const blameFile = operation({
  name: 'fleet.blame',
  kind: 'query',
  role: 'monitor',
  summary: 'Show which task, run, executor and prompt wrote the lines of a file.',
  input: z.strictObject({
    file: Path.describe('FILE, or FILE:LINE for one line'),
    ref: line(LIMITS.refCharacters.value).optional().describe('branch or commit to look at; by default what is checked out'),
  }),
  output: z.strictObject({
    file: z.string(),
    lines: z.array(
      z.strictObject({
        line: z.int(),
        text: z.string(),
        commit: z.string(),
        author: z.string(),
        at: z.string(),
        summary: z.string(),
        task: z.string().optional(),
        run: z.string().optional(),
        executor: z.string().optional(),
        model: z.string().optional(),
        title: z.string().optional(),
        prompt: z.string().optional(),
      }),
    ),
  }),
  faults: ['invalid', 'not_found', 'unavailable'],
});
