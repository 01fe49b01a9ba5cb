import { LIST_PRICES } from '../../domain/agent/prices.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Run } from '../../domain/run/run.ts';
import { type Usage, usageSum } from '../../domain/run/usage.ts';
import { instantOf, msOf } from '../../domain/values.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { takenBy } from '../../store/queries/shared-budgets.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { findTask } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';

const DAY_MS = 86_400_000;

export const costHandlers: Pick<Handlers, 'task.cost' | 'fleet.cost'> = {
  'task.cost': async ({ id }, scope) => {
    const { body: task } = await findTask(scope, id);
    const { reads } = scope;
    const hits = await allHits(reads, runIndex.agents(task.id));
    const found = hits.map(runs.read);
    const { maxBudgetUsd, maxTokens, maxTurns } = task;
    const withParts = task.children === 0 ? undefined : await takenBy(task, reads);
    return plan({
      taskId: task.id,
      ...usageIn(found),
      ...(withParts ? { withParts } : {}),
      ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      turns: found.reduce((sum, { watch }) => sum + (watch?.turns?.count ?? 0), 0),
      runs: found.map(costOf),
      pricesAsOf: LIST_PRICES.asOf,
    });
  },

  'fleet.cost': async ({ days }, scope) => {
    const today = scope.now.slice(0, 10);
    const since = instantOf(msOf(`${today}T00:00:00.000Z`) - (days - 1) * DAY_MS);
    const { found, isCut } = await runsSince(since, scope);
    const groups = new Map<string, Run[]>();
    for (const run of found) {
      const key = JSON.stringify([run.createdAt.slice(0, 10), run.executor]);
      const group = groups.get(key);
      if (group) group.push(run);
      else groups.set(key, [run]);
    }
    const items = [...groups].map(([key, list]) => {
      const [day, executor] = JSON.parse(key) as [string, string];
      const turns = list.reduce((sum, { watch }) => sum + (watch?.turns?.count ?? 0), 0);
      return { day, executor, runs: list.length, turns, ...usageIn(list) };
    });
    return plan({ items, ...usageIn(found), isCut, pricesAsOf: LIST_PRICES.asOf });
  },
};

/** Each run counts what it took itself, a resumed conversation included only from where it went on: sums count nothing twice. */
function usageIn(list: readonly Run[]): { usage?: Usage } {
  const usage = list.reduce<Usage | undefined>((sum, { watch }) => usageSum(sum, watch?.usage), undefined);
  return usage ? { usage } : {};
}

const costOf = ({ id, executor, model, createdAt, phase, watch }: Run) => ({
  runId: id,
  executor,
  ...(model === undefined ? {} : { model }),
  createdAt,
  ...(phase.state === 'ended' ? { outcome: phase.outcome } : {}),
  ...(watch?.usage ? { usage: watch.usage } : {}),
  turns: watch?.turns?.count ?? 0,
  spent: watch?.turns?.spent ?? [],
  ...(watch?.quota ? { quota: watch.quota } : {}),
});

/** Newest first, page by page, and not without end. */
async function runsSince(since: string, { reads }: Scope): Promise<{ found: Run[]; isCut: boolean }> {
  const found: Run[] = [];
  const most = LIMITS.examinedPerPage.value;
  const limit = Math.min(most, reads.limits.rowsPerScan);
  for (let to: string | undefined, looked = 0; ; ) {
    const hits = await reads.scan({ index: runIndex.all, limit, reverse: true, ...(to === undefined ? {} : { to }) });
    looked += hits.length;
    const page = hits.map(runs.read);
    found.push(...page.filter(({ kind, createdAt }) => kind === 'agent' && createdAt >= since));
    to = hits.at(-1)?.sort;
    const isOld = page.at(-1) !== undefined && (page.at(-1) as Run).createdAt < since;
    if (hits.length < limit || isOld) return { found, isCut: false };
    if (looked >= most) return { found, isCut: true };
  }
}
