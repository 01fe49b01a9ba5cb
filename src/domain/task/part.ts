import { Fault } from '../fault.ts';
import type { Task, TaskSpec } from './task.ts';

/* The rights of a part: an agent that creates one may never give it more than its own task has. */

type Kind = TaskSpec['kind'];

/** The kinds by how much their preset allows. A part may not rank higher than its task. */
const KIND_RANK: Readonly<Record<Kind, number>> = { explore: 0, review: 0, test: 1, fix: 2, implement: 2, full: 3 };
/** From work that does not land to work that lands without review. */
const INTEGRATION_RANK: Readonly<Record<NonNullable<TaskSpec['integration']>, number>> = { none: 0, review: 1, pr: 2, auto: 3 };
/** From a private clone to the user's own directory. */
const ISOLATION_RANK: Readonly<Record<NonNullable<TaskSpec['isolation']>, number>> = { clone: 0, worktree: 1, in_place: 2 };

const refuse = (what: string): never => {
  throw new Fault('forbidden', `a part may do no more than the task it is a part of: ${what}`);
};

/** An executor, not one of its own task's, that an agent may choose for a part. */
export interface OtherExecutor {
  readonly ref: string;
  /** Whether the executor enforces a restriction of tools. */
  readonly keepsTools: boolean;
}

/** The executors allowed for a part: those of its task, and others that the owner allows. Without this value all are allowed. */
export interface AllowedExecutors {
  readonly own: readonly string[];
  readonly others: readonly OtherExecutor[];
}

/** The request for a part with every field that gives rights checked against the parent; other fields are as requested. */
export function partOf(parent: Task, asked: Partial<TaskSpec>, allowed?: AllowedExecutors): Partial<TaskSpec> {
  const inherited = asked.executors === undefined || asked.executors.length === 0;
  return present({
    ...asked,
    ...reach(parent, asked),
    ...limits(parent, asked),
    executors: inherited ? parent.executors : executors(parent, asked.executors ?? [], allowed),
    model: asked.model ?? (inherited ? parent.model : undefined),
    failover: asked.failover ?? parent.failover,
    effort: asked.effort ?? parent.effort,
    integration: ranked('integration', INTEGRATION_RANK, parent.integration, asked.integration),
    // In a sandbox the isolation follows from the sandbox.
    isolation:
      (parent.sandbox || asked.sandbox) && asked.isolation === undefined
        ? undefined
        : ranked('isolation', ISOLATION_RANK, parent.isolation, asked.isolation),
    strategy: asked.strategy ?? parent.strategy,
    targetBranch: same('the target branch', parent.targetBranch, asked.targetBranch),
    team: same('the team', parent.team, asked.team),
    // Extra arguments belong to the program they were written for.
    ...(inherited || asked.executors?.[0] === parent.executors[0] ? {} : { extraArgs: [] }),
    // A part's work is pushed together with its task's, or by a person.
    push: asked.push ? refuse('it cannot push by itself') : false,
  });
}

function reach(parent: Task, asked: Partial<TaskSpec>): Partial<TaskSpec> {
  const kind = asked.kind ?? parent.kind;
  const [may, wants] = [
    parent.preset ?? parent.kind,
    asked.preset ?? (asked.kind === undefined ? parent.preset : undefined) ?? kind,
  ];
  if (KIND_RANK[wants] > KIND_RANK[may]) refuse(`${wants} is more than ${may}`);
  if (parent.sandbox && asked.sandbox === false) refuse('it stays in the sandbox');
  // Text by an agent must never become part of a system prompt.
  if (asked.systemPrompt !== undefined && asked.systemPrompt !== parent.systemPrompt)
    refuse('the system prompt is not its to write');
  if (asked.contextMode === 'on' && parent.contextMode !== 'on') refuse('context mode is off');
  if (asked.extraArgs !== undefined && JSON.stringify(asked.extraArgs) !== JSON.stringify(parent.extraArgs))
    refuse('the arguments of the agent program are not its to choose');
  return {
    kind,
    // A preset that somebody named, here or above, is a restriction to enforce; the default preset of a kind is not.
    preset: asked.preset === undefined && parent.preset === undefined ? undefined : wants,
    tools: tools(parent, asked.tools),
    sandbox: parent.sandbox || asked.sandbox,
    systemPrompt: parent.systemPrompt,
    contextMode: asked.contextMode ?? parent.contextMode,
    extraArgs: parent.extraArgs,
  };
}

function tools({ tools: allowed, preset, kind }: Task, asked: TaskSpec['tools']): TaskSpec['tools'] {
  if (asked === undefined) return allowed;
  if (allowed === undefined) return (preset ?? kind) === 'full' ? asked : refuse('name a kind instead of tools');
  const more = asked.find((tool) => !allowed.includes(tool));
  return more === undefined ? asked : refuse(`it has no tool ${more}`);
}

function executors(parent: Task, asked: readonly string[], doers: AllowedExecutors | undefined): string[] {
  for (const ref of doers ? asked : []) if (!doers?.own.includes(ref)) assertOther(parent, ref, doers?.others ?? []);
  return [...asked];
}

/** Throws if another executor would escape the restrictions of the task's own. */
function assertOther(parent: Task, ref: string, others: readonly OtherExecutor[]): void {
  const other = others.find((one) => one.ref === ref);
  if (!other) refuse(`it is not to be done by ${ref} (the setting part_executors allows ${namesOf(others)} besides its own)`);
  if (other?.keepsTools === false && isRestricted(parent)) refuse(`${ref} cannot be held to some tools, and its task is`);
  if (parent.extraArgs.length > 0) refuse(`${ref} cannot be given the arguments its task has`);
}

const namesOf = (others: readonly OtherExecutor[]): string => others.map(({ ref }) => ref).join(', ') || 'none';

/** Whether the tools of the task are restricted: by a list or preset somebody named, or by a kind that cannot run every command. */
const isRestricted = ({ tools, preset, kind }: Task): boolean =>
  tools !== undefined || (preset !== undefined && preset !== 'full') || KIND_RANK[preset ?? kind] < KIND_RANK.implement;

function limits(parent: Task, asked: Partial<TaskSpec>): Partial<TaskSpec> {
  if ((asked.priority ?? parent.priority) < parent.priority) refuse(`it cannot go before priority ${parent.priority}`);
  return {
    priority: asked.priority ?? parent.priority,
    maxTurns: atMost('turns', parent.maxTurns, asked.maxTurns),
    maxTokens: atMost('tokens', parent.maxTokens, asked.maxTokens),
    maxBudgetUsd: atMost('dollars', parent.maxBudgetUsd, asked.maxBudgetUsd),
    timeoutSeconds: atMost('seconds', parent.timeoutSeconds, asked.timeoutSeconds),
    maxAttempts: atMost('attempts', parent.maxAttempts, asked.maxAttempts) ?? parent.maxAttempts,
  };
}

function atMost(unit: string, allowed: number | undefined, asked: number | undefined): number | undefined {
  if (asked === undefined || allowed === undefined) return asked ?? allowed;
  return asked <= allowed ? asked : refuse(`it has ${allowed} ${unit}, not ${asked}`);
}

function ranked<Word extends string>(
  name: string,
  ranks: Readonly<Record<Word, number>>,
  allowed: Word | undefined,
  asked: Word | undefined,
): Word | undefined {
  if (asked === undefined || allowed === undefined) return asked ?? allowed;
  return ranks[asked] <= ranks[allowed] ? asked : refuse(`${name} ${asked} is more than ${allowed}`);
}

const same = (what: string, own: string | undefined, asked: string | undefined): string | undefined =>
  asked === undefined || asked === own ? own : refuse(`${what} is ${own ?? "its project's"}`);

const present = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
