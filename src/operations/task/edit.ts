import type { z } from 'zod';
import type { editTask } from '../../contract/task.ts';
import { Fault } from '../../domain/fault.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { Write } from '../../store/port.ts';
import { changeWrites } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import { teamFor } from '../authorize.ts';
import { editedWithinBounds } from '../bounds.ts';
import { findTask, stillAt } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { storeText } from '../texts.ts';
import { assertIntegration, defined } from './create.ts';
import { isUnbegun, warningsFor } from './doable.ts';
import { assertArguments, assertExecutors } from './executors.ts';
import { awaited, beliefsIn, edgesChecked, findDependencies, openOnes } from './graph.ts';
import { withTrust } from './trust.ts';
import { viewOf } from './view.ts';
import { workPlaceOf } from './work-place.ts';

type Input = z.output<typeof editTask.input>;

export const editTaskHandler: Handlers['task.edit'] = async (input, scope) => {
  const seen = await findTask(scope, input.id);
  stillAt('task', seen.body, input.ifSeq);
  if (isFinal(seen.body.phase) && !isForItsParts(seen.body, input))
    throw new Fault('conflict', `task ${seen.body.id} is ${seen.body.phase.state}: what it asked for is history`);
  await assertExecutors(input.executor ?? [], scope);
  assertIntegration(input.integration);
  assertStaysInTeam(input, scope);
  const fields = { ...emptied(input.clear), ...handedOver(seen.body, input), ...(await given(input, scope)) };
  if (Object.keys(fields).length === 0 && input.after === undefined && !input.clear.includes('after'))
    throw new Fault('invalid', 'nothing to change: give at least one field');
  const asked = without({ ...seen.body, ...fields, updatedAt: scope.now } as Task, fields);
  assertArguments(input.extraArg, scope);
  const edited = await editedWithinBounds(asked, scope);
  // Bounds may have asked for the sandbox.
  const isTrustTouched = touchesTrust(input) || edited.sandbox !== seen.body.sandbox;
  const { task, writes } = await rewired(isTrustTouched ? await withTrust(edited, input, scope) : edited, input, scope);
  const note = { what: 'edited', data: { fields: [...Object.keys(fields), ...(touchesEdges(input) ? ['dependsOn'] : [])] } };
  const change = changeWrites(tasks, seen, task, { author: { by: scope.caller.name, at: scope.now }, note });
  const [view, warnings] = await Promise.all([
    viewOf({ ...task, seq: task.seq + 1 }, scope),
    isUnbegun(task) ? warningsFor(task, scope) : [],
  ]);
  return plan({ ...view, ...(warnings.length > 0 ? { warnings } : {}) }, [...change, ...writes]);
};

/** Parts that go on after their task take from its budget still. */
function isForItsParts({ children }: Task, { id: _id, ifSeq: _seq, clear, ...fields }: Input): boolean {
  const touched = [...clear, ...Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]))];
  return children > 0 && touched.every((name) => name === 'maxBudgetUsd' || name === 'maxTokens');
}

function assertStaysInTeam({ team, clear }: Input, { caller }: Scope): void {
  teamFor(caller, team);
  if (caller.team !== undefined && clear.includes('team'))
    throw new Fault('forbidden', `${caller.name} belongs to team ${caller.team}: its tasks stay there`);
}

/** With another executor first, what was said for the one before it is not for this one; and it begins at the first. */
const handedOver = ({ executors }: Task, { executor }: Input): Record<string, unknown> => ({
  ...(executor === undefined ? {} : { executorAt: undefined }),
  ...(executor === undefined || executor[0] === executors[0] ? {} : { model: undefined, extraArgs: [] }),
});

/** Contract words that differ from the words of the record. */
const RECORD_FIELD: Readonly<Record<string, keyof Task>> = {
  tag: 'tags',
  tool: 'tools',
  extraArg: 'extraArgs',
  executor: 'executors',
};
const EMPTY: Readonly<Record<string, unknown>> = { tags: [], extraArgs: [], metadata: {} };

function emptied(clear: readonly string[]): Record<string, unknown> {
  const fields = clear.filter((name) => name !== 'after').map((name) => RECORD_FIELD[name] ?? name);
  return Object.fromEntries(fields.map((field) => [field, EMPTY[field]]));
}

async function given(input: Input, scope: Scope): Promise<Record<string, unknown>> {
  const { id: _id, clear: _clear, ifSeq: _ifSeq, after: _after, prompt, project, tag, tool, extraArg, executor, ...same } = input;
  const where = project === undefined ? undefined : await workPlaceOf({ project }, scope);
  return defined({
    ...same,
    tags: tag,
    tools: tool,
    extraArgs: extraArg,
    executors: executor,
    prompt: prompt === undefined ? undefined : await storeText(scope, prompt),
    ...(where ? { projectId: where.place.projectId } : {}),
  });
}

/** Fields that were cleared are absent, not undefined; a task in a project has no directory of its own. */
function without(task: Task, fields: Record<string, unknown>): Task {
  const kept = Object.entries(task).filter(
    ([name, value]) => value !== undefined && !(name === 'directory' && fields['projectId'] !== undefined),
  );
  return Object.fromEntries(kept) as Task;
}

/** Whatever else is changed, a sandboxed task stays what it is, also where no sandbox can be made at the moment. */
const touchesTrust = ({ sandbox, isolation, project, clear }: Input): boolean =>
  sandbox !== undefined ||
  isolation !== undefined ||
  project !== undefined ||
  clear.includes('sandbox') ||
  clear.includes('isolation');

const touchesEdges = (input: Input) => input.after !== undefined || input.clear.includes('after');

async function rewired(task: Task, input: Input, scope: Scope): Promise<{ task: Task; writes: Write[] }> {
  const timing = input.notBefore !== undefined || input.clear.includes('notBefore');
  if (!touchesEdges(input) && !timing) return { task, writes: [] };
  const refs = touchesEdges(input) ? (input.after ?? []) : task.dependsOn;
  const dependencies = await findDependencies(refs, scope);
  const dependsOn = dependencies.map(({ body }) => body.id);
  const edges = touchesEdges(input) ? await edgesChecked(task.id, dependsOn, scope) : [];
  const next = transition({ ...task, dependsOn }, { type: 'rewire', at: scope.now, unmet: openOnes(dependencies, task) });
  const isNew = ({ body }: Versioned<Task>) => !task.dependsOn.includes(body.id);
  return {
    task: next,
    writes: [...edges, ...awaited(dependencies.filter(isNew)), ...beliefsIn(dependencies.filter((seen) => !isNew(seen)))],
  };
}
