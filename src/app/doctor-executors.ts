import type { ExecutorView } from '../contract/executor.ts';
import { accountRefOf } from '../domain/hold/account.ts';
import type { Io } from '../surfaces/cli/deps.ts';
import type { Finding } from '../surfaces/cli/views/executor/doctor.ts';
import { connect } from './connect/connect.ts';

/**
 * As the engine sees them, because it is the engine that starts them: its environment may hold another key, and
 * another PATH. Without an engine, as this process does.
 */
export async function executorsFor(io: Io): Promise<{ items: readonly ExecutorView[]; problem?: string }> {
  const connection = await connect(io.env, io.cwd);
  try {
    return await connection.call('executor.list', {});
  } catch (error) {
    return { items: [], problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await connection.close();
  }
}

/** Whether there is an agent to do any work, and whether the one that does it by default exists. */
export function agentFindings(executors: readonly ExecutorView[], setting: string | undefined): Finding[] {
  const chosen = setting === undefined ? undefined : accountRefOf(setting).executor;
  const agents = executors.filter(({ origin, program }) => program !== undefined || origin !== 'built_in');
  const ready = agents.filter(({ state }) => state === 'ready').map(({ name }) => name);
  const broken = { needed: true, state: 'broken' } as const;
  const name = 'agents';
  const any: Finding =
    ready.length > 0
      ? { name, needed: true, state: 'ok', detail: `${ready.join(', ')} ready` }
      : { name, ...broken, detail: 'no agent program is ready: install one and sign in', repair: firstRepair(agents, chosen) };
  const isKnown = chosen === undefined || executors.some((executor) => executor.name === chosen);
  if (isKnown) return [any];
  const known = executors.map((executor) => executor.name).join(', ');
  return [
    any,
    {
      name: 'executor',
      ...broken,
      detail: `the default executor ${JSON.stringify(chosen)} is unknown: known are ${known}`,
      repair: `fleet config set executor=${ready[0] ?? 'claude'}`,
    },
  ];
}

/** What gets the default executor going, else the first that is almost ready. */
function firstRepair(agents: readonly ExecutorView[], chosen: string | undefined): string {
  const one = agents.find(({ name }) => name === chosen) ?? agents.find(({ state }) => state === 'signed_out') ?? agents[0];
  return one?.repair ?? 'fleet executor list';
}

/** Of each agent that is here whether it can work in a sandbox; where nobody can, that is said of bubblewrap. */
export function sandboxFindings(executors: readonly ExecutorView[], isMade: boolean): Finding[] {
  const seen = executors.flatMap(({ name, sandbox }) => (sandbox ? [{ name, ...sandbox }] : []));
  if (!isMade || seen.length === 0) return [];
  const able = seen.filter(({ works }) => works).map(({ name }) => name);
  const said = { name: 'in sandbox', needed: false } as const;
  return [
    able.length > 0
      ? { ...said, state: 'ok', detail: `${able.join(', ')} can work in one` }
      : { ...said, state: 'off', detail: 'no agent can work in one' },
    ...seen
      .filter(({ works }) => !works)
      .map(({ name, problem, repair }): Finding => {
        const why = problem === undefined ? {} : { detail: problem };
        return { name: `${name} in it`, needed: false, state: 'broken', ...why, ...(repair === undefined ? {} : { repair }) };
      }),
  ];
}
