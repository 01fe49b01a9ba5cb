import { z } from 'zod';
import { ROLES, Role } from '../authority.ts';
import { ExecutorRef } from '../hold/executor-ref.ts';
import { LIMITS } from '../limits.ts';
import { Usage } from '../run/usage.ts';
import {
  ClaimId,
  Instant,
  LongText,
  Name,
  Path,
  ProjectId,
  QuestionId,
  Ref,
  RunId,
  StoredText,
  Tag,
  TaskId,
  Title,
  WorkspaceId,
} from '../values.ts';
import { CommitId, Gate, Work } from '../work/work.ts';
import { FAILOVERS } from './failover.ts';

/** A branch and its commit at some time; empty if there was no branch. */
export const BranchAt = z.strictObject({ branch: z.string().optional(), commit: CommitId.optional() });
export type BranchAt = z.infer<typeof BranchAt>;

/** The run or claim that works on a task. Its id is the fence: only the holder may move the task on. */
export const Holder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), runId: RunId }),
  z.strictObject({
    kind: z.literal('claim'),
    claimId: ClaimId,
    agent: Name,
    callerId: z.string().optional(),
    /** The target branch at the time of the claim; absent if there is nothing to compare. */
    base: BranchAt.optional(),
    /** The commit that the claimant named as the work. */
    commit: CommitId.optional(),
  }),
]);
export type Holder = z.infer<typeof Holder>;

/** Why a task waits for a person. Every block says who must do what. */
export const Block = z.discriminatedUnion('cause', [
  z.strictObject({ cause: z.literal('question'), who: z.string(), what: z.string(), questionId: QuestionId }),
  z.strictObject({ cause: z.literal('dependency'), who: z.string(), what: z.string(), taskId: TaskId, on: z.array(TaskId) }),
  z.strictObject({ cause: z.literal('agent'), who: z.string(), what: z.string() }),
  /** A budget of the task is used up. */
  z.strictObject({ cause: z.literal('budget'), who: z.string(), what: z.string() }),
  /** The bounds of the task's role, team or project do not allow it now. */
  z.strictObject({ cause: z.literal('bounds'), who: z.string(), what: z.string() }),
  /** The program of the executor is not signed in. */
  z.strictObject({ cause: z.literal('login'), who: z.string(), what: z.string() }),
  z.strictObject({ cause: z.literal('quarantine'), who: z.string(), what: z.string() }),
  /** Finished and proved work waits for a review. */
  z.strictObject({ cause: z.literal('review'), who: z.string(), what: z.string() }),
  /** The project's set-up command failed: no agent was started. */
  z.strictObject({ cause: z.literal('setup'), who: z.string(), what: z.string() }),
  /** The agent repeatedly claimed success and the proof failed each time. */
  z.strictObject({ cause: z.literal('proof'), who: z.string(), what: z.string() }),
  /** Landing would touch uncommitted changes of the user. The task goes on by itself once they are gone. */
  z.strictObject({ cause: z.literal('checkout'), who: z.string(), what: z.string() }),
  /** The work conflicts with the work of others. */
  z.strictObject({ cause: z.literal('conflict'), who: z.string(), what: z.string() }),
  /** The work of the last run could not be kept: the workspace was put aside whole. */
  z.strictObject({ cause: z.literal('aside'), who: z.string(), what: z.string(), workspaceId: WorkspaceId }),
]);
export type Block = z.infer<typeof Block>;

/** The phase of a task. Each phase has only the fields that are valid in it. */
export const Phase = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('draft'), since: Instant }),
  z.strictObject({ state: z.literal('waiting'), since: Instant, on: z.array(TaskId), until: Instant.optional() }),
  z.strictObject({ state: z.literal('queued'), since: Instant }),
  z.strictObject({ state: z.literal('running'), since: Instant, holder: Holder }),
  z.strictObject({ state: z.literal('verifying'), since: Instant, holder: Holder }),
  z.strictObject({ state: z.literal('merging'), since: Instant, holder: Holder }),
  z.strictObject({ state: z.literal('done'), at: Instant }),
  z.strictObject({ state: z.literal('blocked'), since: Instant, block: Block }),
  z.strictObject({ state: z.literal('failed'), at: Instant, reason: z.string() }),
  z.strictObject({ state: z.literal('canceled'), at: Instant }),
]);
export type Phase = z.infer<typeof Phase>;
export { isFinal, PHASE_STATES, type PhaseState } from './phases.ts';

export const TASK_KINDS = ['implement', 'review', 'test', 'explore', 'fix', 'full'] as const;
export const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const INTEGRATIONS = ['auto', 'review', 'pr', 'none'] as const;
export const ISOLATIONS = ['worktree', 'clone', 'in_place'] as const;
/** What a task starts from: `new` is the target branch, `inherit` adds the work of dependencies that has not landed. */
export const STRATEGIES = ['inherit', 'new'] as const;
export const CONTEXT_MODES = ['off', 'on'] as const;

/** The fields of a task that a person may set and change. */
export const TaskSpec = z.strictObject({
  title: Title,
  acceptance: LongText.optional(),
  baseRef: Ref.optional(),
  targetBranch: Ref.optional(),
  priority: z.int().min(0).max(9),
  tags: z.array(Tag).max(LIMITS.tags.value),
  kind: z.enum(TASK_KINDS),
  expectsChanges: z.boolean(),
  executors: z.array(ExecutorRef).max(LIMITS.executorsPerTask.value),
  /** Whether the task moves on to the next executor while its present one is paused. */
  failover: z.enum(FAILOVERS).optional(),
  model: Title.optional(),
  effort: z.enum(EFFORTS).optional(),
  preset: z.enum(TASK_KINDS).optional(),
  tools: z.array(Title).max(LIMITS.argsPerTask.value).optional(),
  systemPrompt: LongText.optional(),
  extraArgs: z.array(LongText).max(LIMITS.argsPerTask.value),
  contextMode: z.enum(CONTEXT_MODES).optional(),
  sandbox: z.boolean().optional(),
  maxTurns: z.int().min(1).max(100_000).optional(),
  maxTokens: z.int().min(1).max(1_000_000_000_000).optional(),
  maxBudgetUsd: z.number().positive().max(1_000_000).optional(),
  timeoutSeconds: z.int().min(1).max(31_536_000).optional(),
  maxAttempts: z.int().min(1).max(100),
  integration: z.enum(INTEGRATIONS).optional(),
  isolation: z.enum(ISOLATIONS).optional(),
  strategy: z.enum(STRATEGIES).optional(),
  push: z.boolean().optional(),
  assignee: Name.optional(),
  team: Name.optional(),
  dependsOn: z.array(TaskId).max(LIMITS.dependencies.value),
  notBefore: Instant.optional(),
  metadata: z
    .record(z.string().max(LIMITS.nameCharacters.value), z.unknown())
    .refine((value) => JSON.stringify(value).length <= LIMITS.metadataBytes.value, {
      error: `is too long: at most ${LIMITS.metadataBytes.value} bytes of JSON`,
    }),
});
export type TaskSpec = z.infer<typeof TaskSpec>;

export const Task = TaskSpec.extend({
  id: TaskId,
  /** Number of the newest journal entry. Numbers are dense. */
  seq: z.int().min(1),
  prompt: StoredText,
  /** Where the agents work: in a project, or in place in a plain directory. */
  projectId: ProjectId.optional(),
  directory: Path.optional(),
  parentId: TaskId.optional(),
  /** For a fork: the run whose conversation it copies, and the work at that time. */
  forkedFrom: z
    .strictObject({
      taskId: TaskId,
      runId: RunId,
      /** Where the fork's own work begins, and where the copied work began; absent in place. */
      commit: CommitId.optional(),
      base: CommitId.optional(),
    })
    .optional(),
  /** For a review: the task whose work it reviews. */
  reviews: TaskId.optional(),
  depth: z.int().min(0),
  children: z.int().min(0),
  /** How many tasks have ever depended on this one. */
  awaited: z.int().min(0),
  /** The task has ended, and tasks that depend on it may not have been released yet. */
  untold: z.boolean(),
  phase: Phase,
  /** A request to cancel. The task is `canceled` only once its run has really ended. */
  cancelAsked: z.strictObject({ at: Instant, by: z.string() }).optional(),
  /** Index of the present executor in `executors`; absent means the first. */
  executorAt: z.int().min(0).optional(),
  attempts: z.int().min(0),
  /** How many attempts do not count, because neither the agent nor the task was the reason they ended. */
  uncounted: z.int().min(0).default(0),
  /** How many runs were lost together with their host, since the last success or act of a person. */
  lostTimes: z.int().min(0).default(0),
  /** How many runs stalled, since the last success or act of a person. */
  stalledTimes: z.int().min(0).default(0),
  /** How many refusals of the provider named no time to retry, since the last success or act of a person. */
  refusedTimes: z.int().min(0).default(0),
  /** The run whose conversation the next run resumes, if the executor can. */
  continues: RunId.optional(),
  /** How many runs in a row filled their window while the work stayed as `fullMark` identifies it. */
  fullTimes: z.int().min(0).default(0),
  /** How often its agents reached for more than they have, as far as its history tells. */
  refusals: z.int().min(0).optional(),
  fullMark: z.string().optional(),
  /** The usage of all ended runs together, and the number of their turns. */
  usage: Usage.optional(),
  turns: z.int().min(0).default(0),
  /** How long all ended runs took together. */
  spentMs: z.int().min(0).default(0),
  /** How often the agent was sent back because the proof failed. */
  repairs: z.int().min(0).default(0),
  work: Work.optional(),
  gate: Gate.optional(),
  /** An error of the machine that keeps the task from going on; Fleet retries by itself. */
  trouble: z.strictObject({ what: z.string(), since: Instant }).optional(),
  /** Messages for the task's agent. */
  messages: z
    .array(
      z.strictObject({
        n: z.int().min(1),
        at: Instant,
        by: z.string(),
        text: z.string(),
        state: z.enum(['waiting', 'sent', 'heard']),
        /** The question that the message answers. */
        answers: QuestionId.optional(),
      }),
    )
    .max(LIMITS.messages.value)
    .default([]),
  createdAt: Instant,
  createdBy: z.string(),
  /** The id of the caller who made the task; tasks made before ids were kept have none. */
  creatorId: z.string().optional(),
  /** The role of the token that created the task, or its parent for a part; absent means the owner. */
  creatorRole: Role.optional(),
  /** Roles of those that token was made by, and of whoever made the task it is a copy of: their bounds hold for it too. */
  heldAs: z.array(Role).max(ROLES.length).optional(),
  updatedAt: Instant,
});
export type Task = z.infer<typeof Task>;

/** Whose bounds it is held to wherever it goes: the role it was made with, and those behind that. */
export const makersOf = ({ creatorRole = 'admin', heldAs = [] }: Pick<Task, 'creatorRole' | 'heldAs'>): readonly Role[] => [
  creatorRole,
  ...heldAs,
];

/** The tasks it cannot go on without, as far as it knows. */
export function openDependencies({ phase, dependsOn }: Pick<Task, 'phase' | 'dependsOn'>): readonly TaskId[] {
  if (phase.state === 'draft') return dependsOn;
  if (phase.state === 'waiting') return phase.on;
  return phase.state === 'blocked' && phase.block.cause === 'dependency' ? phase.block.on : [];
}

/** Whether the task only reads: it makes no work that lands. */
export const isReadOnly = ({ kind, expectsChanges }: Pick<Task, 'kind' | 'expectsChanges'>): boolean =>
  !expectsChanges || kind === 'review' || kind === 'explore';

/** Whether finished and proved work waits for a review. */
export const awaitsReview = (phase: Phase): boolean => phase.state === 'blocked' && phase.block.cause === 'review';

/** The id of the holder. A successor has another id, so a late report of a lost holder changes nothing. */
export const fenceOf = (holder: Holder): RunId | ClaimId => (holder.kind === 'run' ? holder.runId : holder.claimId);

/** The task without `trouble`. The same object if there is none: an object that lost a field is slow to copy. */
export function withoutTrouble(task: Task): Task {
  if (task.trouble === undefined) return task;
  const { trouble: _over, ...rest } = task;
  return rest;
}
