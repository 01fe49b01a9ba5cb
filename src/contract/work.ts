import { z } from 'zod';
import { LIMITS } from '../domain/limits.ts';
import { TaskWish } from '../domain/task/task.ts';
import { Instant, line, Path, RunId, TaskId, text, WorkspaceId } from '../domain/values.ts';
import { Evidence } from '../domain/work/evidence.ts';
import { Report } from '../domain/work/report.ts';
import { CommitId, Totals } from '../domain/work/work.ts';
import { Workspace } from '../domain/work/workspace.ts';
import { operation } from './operation.ts';
import { ifSeq, page, Ref, TaskView } from './shapes.ts';

/* What agents have made in a repository: to look at, to agree to, to land, to bring back. */

const message = text(LIMITS.messageBytes.value).refine((value) => value.trim() !== '', 'is empty: say something');

export const diffTask = operation({
  name: 'task.diff',
  kind: 'query',
  role: 'monitor',
  summary: 'Show what a task has changed, committed or not.',
  input: z.strictObject({
    id: Ref,
    maxBytes: z.int().min(1).max(LIMITS.diffBytes.value).default(LIMITS.diffBytes.value).describe('longest text to return'),
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

const wish = TaskWish.shape;

export const forkTask = operation({
  name: 'task.fork',
  kind: 'command',
  role: 'team-lead',
  summary: 'Branch a task off into a second one: same conversation and work so far, own branch.',
  input: z.strictObject({
    id: Ref,
    text: message.optional().describe('what the agent of the fork is told first'),
    title: wish.title.optional().describe('short name of the fork; that of the task, marked, when left out'),
    executor: wish.executors.min(1).optional().describe('another agent for it; repeat for a fail-over list'),
    model: wish.model.describe("model, in that executor's own words"),
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
  summary: 'Show what the agents of a task reported and what the gate found.',
  input: z.strictObject({ id: Ref }),
  output: z.strictObject({
    taskId: TaskId,
    rejected: z
      .strictObject({
        by: z.string(),
        at: Instant,
        text: z.string(),
        tree: CommitId.optional(),
        unchanged: z.boolean().describe('the very same tree was handed in again'),
      })
      .optional()
      .describe('how it was last refused'),
    conflicts: z.array(z.string()).optional().describe('files in which it conflicts with its target'),
    reports: z.array(Report),
    evidence: z.array(Evidence.extend({ stale: z.boolean().describe('the work has changed since') })),
  }),
  faults: ['not_found', 'unavailable'],
});

export const approveTask = operation({
  name: 'task.approve',
  kind: 'command',
  role: 'merger',
  summary: 'Agree to finished work as it is now, so that it lands.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const rejectTask = operation({
  name: 'task.reject',
  kind: 'command',
  role: 'merger',
  summary: 'Refuse finished work: with a text its agent tries again, without it ends.',
  input: z.strictObject({ id: Ref, text: message.optional().describe('what is to be done better'), ifSeq }),
  output: TaskView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const mergeTask = operation({
  name: 'task.merge',
  kind: 'command',
  role: 'merger',
  summary: 'Put finished work that rests into the queue of its target branch.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const verifyTask = operation({
  name: 'task.verify',
  kind: 'command',
  role: 'merger',
  summary: 'Let the gate look at finished work once more.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const commitTask = operation({
  name: 'task.commit',
  kind: 'command',
  role: 'merger',
  summary: 'Commit what lies uncommitted in the workspace of a task that rests.',
  input: z.strictObject({ id: Ref, ifSeq }),
  output: TaskView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const pushTask = operation({
  name: 'task.push',
  kind: 'command',
  role: 'merger',
  summary: 'Push the target branch of landed work, or the own branch of work that has not landed.',
  input: z.strictObject({
    id: Ref,
    remote: line(LIMITS.refCharacters.value).optional().describe('where to; the usual remote by default'),
  }),
  output: z.strictObject({ taskId: TaskId, branch: z.string(), remote: z.string() }),
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const restoreTask = operation({
  name: 'task.restore',
  kind: 'command',
  role: 'worker',
  summary: 'Bring the kept work of a task back as a branch.',
  input: z.strictObject({
    id: Ref,
    run: Ref.optional().describe('the run whose work it is; the newest by default'),
    branch: line(LIMITS.refCharacters.value).optional().describe('name of the branch; fleet/restored/… by default'),
  }),
  output: z.strictObject({ taskId: TaskId, runId: RunId.optional(), branch: z.string(), commit: CommitId }),
  faults: ['invalid', 'not_found', 'conflict', 'unavailable'],
});

export const cleanupTask = operation({
  name: 'task.cleanup',
  kind: 'command',
  role: 'team-lead',
  summary: 'Take back the workspace of a task, and its branch once it is over; what is kept can be restored.',
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
  summary: 'List the workspaces, whom they serve and where they are.',
  input: z.strictObject({}),
  output: page(WorkspaceView),
  faults: ['unavailable'],
});

export const pruneWorkspaces = operation({
  name: 'workspace.prune',
  kind: 'command',
  role: 'team-lead',
  summary: 'Remove workspaces nobody needs; what was made in them is kept.',
  input: z.strictObject({ dryRun: z.boolean().default(false).describe('only say what would go') }),
  output: z.strictObject({ items: z.array(WorkspaceView), dryRun: z.boolean() }),
  faults: ['unavailable'],
});

export const deleteWorkspace = operation({
  name: 'workspace.delete',
  kind: 'command',
  role: 'team-lead',
  summary: 'Remove a workspace that was put aside, with all files in it.',
  input: z.strictObject({ id: WorkspaceId.describe('the workspace, as in fleet workspace list') }),
  output: WorkspaceView,
  faults: ['not_found', 'conflict', 'unavailable'],
});

export const blameFile = operation({
  name: 'fleet.blame',
  kind: 'query',
  role: 'monitor',
  summary: 'Tell which task, run, executor and prompt is behind the lines of a file.',
  input: z.strictObject({
    file: Path.describe('FILE, or FILE:LINE for one line'),
    ref: line(LIMITS.refCharacters.value).optional().describe('as of this branch or commit; what is checked out by default'),
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
