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

/** A branch and where it was; empty where there was none. */
export const BranchAt = z.strictObject({ branch: z.string().optional(), commit: CommitId.optional() });
export type BranchAt = z.infer<typeof BranchAt>;

/** Who does the work of a running task. Its id is the fence: only its holder may move the task on. */
export const Holder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), runId: RunId }),
  z.strictObject({
    kind: z.literal('claim'),
    claimId: ClaimId,
    agent: Name,
    callerId: z.string().optional(),
    /** The target branch when it was claimed; absent where nothing can be compared. */
    base: BranchAt.optional(),
    /** The commit that was named as the work. */
    commit: CommitId.optional(),
  }),
]);
export type Holder = z.infer<typeof Holder>;

/** Why a person must act. Every block names who and what. */
export const Block = z.discriminatedUnion('cause', [
  z.strictObject({ cause: z.literal('question'), who: z.string(), what: z.string(), questionId: QuestionId }),
  z.strictObject({ cause: z.literal('dependency'), who: z.string(), what: z.string(), taskId: TaskId, on: z.array(TaskId) }),
  z.strictObject({ cause: z.literal('agent'), who: z.string(), what: z.string() }),
  /** What it may cost is used up. */
  z.strictObject({ cause: z.literal('budget'), who: z.string(), what: z.string() }),
  /** It lies outside of what the bounds of its role, team or project allow now. */
  z.strictObject({ cause: z.literal('bounds'), who: z.string(), what: z.string() }),
  /** The program of its executor is not signed in. */
  z.strictObject({ cause: z.literal('login'), who: z.string(), what: z.string() }),
  z.strictObject({ cause: z.literal('quarantine'), who: z.string(), what: z.string() }),
  /** Finished and proved work waits for somebody to look at it. */
  z.strictObject({ cause: z.literal('review'), who: z.string(), what: z.string() }),
  /** The project's set-up command failed: no agent was started. */
  z.strictObject({ cause: z.literal('setup'), who: z.string(), what: z.string() }),
  /** The agent claims success, and what was found says otherwise, again and again. */
  z.strictObject({ cause: z.literal('proof'), who: z.string(), what: z.string() }),
  /** It cannot land without touching something of the user's. It goes on by itself once that is gone. */
  z.strictObject({ cause: z.literal('checkout'), who: z.string(), what: z.string() }),
  /** It cannot be put together with the work of others. */
  z.strictObject({ cause: z.literal('conflict'), who: z.string(), what: z.string() }),
  /** What its run left could not be kept: the workspace was put aside whole. */
  z.strictObject({ cause: z.literal('aside'), who: z.string(), what: z.string(), workspaceId: WorkspaceId }),
]);
export type Block = z.infer<typeof Block>;

/** Where a task stands. Each phase carries only what is true in it. */
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
/** What a task begins with: the target branch alone, or also what its dependencies made and have not landed. */
export const STRATEGIES = ['inherit', 'new'] as const;
export const CONTEXT_MODES = ['off', 'on'] as const;

/** What the task asks for, as a person may set and change it. */
export const TaskWish = z.strictObject({
  title: Title,
  acceptance: LongText.optional(),
  baseRef: Ref.optional(),
  targetBranch: Ref.optional(),
  priority: z.int().min(0).max(9),
  tags: z.array(Tag).max(LIMITS.tags.value),
  kind: z.enum(TASK_KINDS),
  expectsChanges: z.boolean(),
  executors: z.array(ExecutorRef).max(LIMITS.executorsPerTask.value),
  /** Whether it moves on to the next executor while its own is paused. */
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
export type TaskWish = z.infer<typeof TaskWish>;

export const Task = TaskWish.extend({
  id: TaskId,
  /** Number of its newest journal entry: history is dense. */
  seq: z.int().min(1),
  prompt: StoredText,
  /** Where the work is done: in a project, or in place in a plain directory. */
  projectId: ProjectId.optional(),
  directory: Path.optional(),
  parentId: TaskId.optional(),
  /** It branched off from another: with a copy of the conversation of that run, and with the work as it stood then. */
  forkedFrom: z
    .strictObject({
      taskId: TaskId,
      runId: RunId,
      /** Where its work begins, and where the work it begins with began; absent in place. */
      commit: CommitId.optional(),
      base: CommitId.optional(),
    })
    .optional(),
  /** The task whose work it looks at. */
  reviews: TaskId.optional(),
  depth: z.int().min(0),
  children: z.int().min(0),
  /** How many tasks have ever been made to wait for this one. */
  awaited: z.int().min(0),
  /** It has ended, and tasks that wait for it may not have heard of it yet. */
  untold: z.boolean(),
  phase: Phase,
  /** Someone wants it stopped. It is `canceled` only when its work has really ended. */
  cancelAsked: z.strictObject({ at: Instant, by: z.string() }).optional(),
  /** Where in the list of its executors it is now; absent: at the first. */
  executorAt: z.int().min(0).optional(),
  attempts: z.int().min(0),
  /** How many of them do not count: they ended for a reason that was neither the agent's nor its task's. */
  uncounted: z.int().min(0).default(0),
  /** How often its run was lost with whatever ran it, since it last succeeded or a person looked at it. */
  lostTimes: z.int().min(0).default(0),
  /** How often its run was stalled, since it last succeeded or a person looked at it. */
  stalledTimes: z.int().min(0).default(0),
  /** How often its provider refused more work without saying until when, since it last succeeded or a person looked at it. */
  refusedTimes: z.int().min(0).default(0),
  /** Its next run goes on with the conversation of this one, where the executor can. */
  continues: RunId.optional(),
  /** How often in a row the window of its agent was full while its work stood as `fullMark` says. */
  fullTimes: z.int().min(0).default(0),
  /** How often its agents reached for more than they have, as far as its history tells. */
  refusals: z.int().min(0).optional(),
  fullMark: z.string().optional(),
  /** What its ended runs have taken together, and in how many turns. */
  usage: Usage.optional(),
  turns: z.int().min(0).default(0),
  /** How long its ended runs have taken together. */
  spentMs: z.int().min(0).default(0),
  /** How often its agent was told that what it claimed is not so. */
  repairs: z.int().min(0).default(0),
  work: Work.optional(),
  gate: Gate.optional(),
  /** The machine keeps it from going on; it is tried again by itself. */
  trouble: z.strictObject({ what: z.string(), since: Instant }).optional(),
  /** Messages for the agent that works on it. */
  messages: z
    .array(
      z.strictObject({
        n: z.int().min(1),
        at: Instant,
        by: z.string(),
        text: z.string(),
        state: z.enum(['waiting', 'sent', 'heard']),
        /** The question it answers. */
        answers: QuestionId.optional(),
      }),
    )
    .max(LIMITS.messages.value)
    .default([]),
  createdAt: Instant,
  createdBy: z.string(),
  /** The id of the caller who made the task; tasks made before ids were kept have none. */
  creatorId: z.string().optional(),
  /** The role of the token it was made with, or of that which its task was made with; absent: the owner's. */
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
export function waitsFor({ phase, dependsOn }: Pick<Task, 'phase' | 'dependsOn'>): readonly TaskId[] {
  if (phase.state === 'draft') return dependsOn;
  if (phase.state === 'waiting') return phase.on;
  return phase.state === 'blocked' && phase.block.cause === 'dependency' ? phase.block.on : [];
}

/** It looks at the work of others and makes none to be landed. */
export const isReader = ({ kind, expectsChanges }: Pick<Task, 'kind' | 'expectsChanges'>): boolean =>
  !expectsChanges || kind === 'review' || kind === 'explore';

/** Finished and proved, and somebody is to look at it. */
export const awaitsReview = (phase: Phase): boolean => phase.state === 'blocked' && phase.block.cause === 'review';

/** The id of whoever holds the task: a successor has another, so a late report of a lost holder moves nothing. */
export const fenceOf = (holder: Holder): RunId | ClaimId => (holder.kind === 'run' ? holder.runId : holder.claimId);

/** Without what kept it from going on. The very task when nothing did: an object that lost a field is slow to copy. */
export function untroubled(task: Task): Task {
  if (task.trouble === undefined) return task;
  const { trouble: _over, ...rest } = task;
  return rest;
}
