import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join, relative } from 'node:path';
import { describe, it, vi } from 'vitest';
import { survivors } from '../../../../src/runner/process-table.ts';
import { parseScenario } from '../../../../src/simulate/scenario/parse-scenario.ts';
import type { SimulatedRun } from '../../../../src/simulate/simulator.ts';
import { fullOnly } from '../../../full-only.ts';
import { modelServer } from '../../../support/model-server.ts';
import { type Engine, type RunJson, type TaskJson, type WorkHouse, workHouse } from '../../../support/work-house.ts';
import { type AnyAgent, everyAgent, type Place } from './agents.ts';
import { type Level, levels, pathOfBox } from './levels.ts';

export interface AgentRun extends RunJson {
  readonly watch?: { readonly session?: string; readonly summary?: string };
}

/** A house in which one agent works at one level, with a model that plays a scenario. */
export interface LevelHouse extends WorkHouse {
  readonly played: SimulatedRun;
  /** An engine with the agent on its path. */
  wake(): Promise<Engine>;
  task(prompt: string, ...more: readonly string[]): Promise<string>;
  agentRuns(id: string): Promise<readonly AgentRun[]>;
  reports(id: string): Promise<readonly object[]>;
  /** Where a task works. */
  treeOf(id: string): Promise<string>;
  /** Processes of its runs, those in a sandbox among them. */
  processes(): Promise<number>;
  /** Ends the program that Fleet knows as the agent, with -9. */
  killAgent(id: string): Promise<void>;
  /** What the agent sent to its model last, with all that came before. */
  lastAsked(): string;
}

export async function levelHouse(agent: AnyAgent, level: Level, scenario: string): Promise<LevelHouse> {
  const models = await modelServer();
  const played = models.play(parseScenario(scenario));
  const house = await workHouse([], { engine: false, ...(level.as ? { as: level.as } : {}) });
  const place: Place = {
    modelUrl: played.url,
    directory: house.directory,
    program: agent.program,
    isTester: level.as === undefined,
  };
  const made = async (...path: string[]) => {
    const at = join(house.directory, ...path);
    await mkdir(at, { recursive: true });
    await house.give(at);
    return at;
  };
  const lay = async (base: string, path: string, text: string) => {
    const at = join(base, path);
    const between = relative(house.directory, dirname(at)).split('/');
    for (const n of between.keys()) await made(...between.slice(0, n + 1));
    await writeFile(at, text);
    await house.give(at);
  };
  const [bin, TMPDIR] = [await made('bin'), await made('tmp'), await made('codex home')];
  if (agent.onPath !== undefined) await symlink(agent.program, join(bin, agent.onPath));
  for (const [path, to] of Object.entries(agent.links ?? {})) await symlink(to, join(house.home, path));
  const files = agent.atHome(place);
  for (const [path, text] of Object.entries(files)) await lay(house.env['HOME'] ?? '', path, text);
  if (agent.executorFile) await lay(house.home, join('executors', `${agent.executor}.toml`), agent.executorFile(place));
  const shown = Object.keys(files).map((path) => `~/${path}`);
  await house.ok([
    ...['config', 'set', 'grace_seconds=2', ...agent.settings],
    // The model's host and no other.
    `sandbox_hosts=${new URL(played.url).host}`,
    ...(shown.length === 0 ? [] : [`sandbox_read=${shown.join(',')}`]),
  ]);
  const around = {
    ...agent.surroundings(place),
    PATH: pathOfBox(`${bin}${delimiter}${house.env['PATH']}`),
    TMPDIR,
  };
  const json = async <Shape>(...args: string[]) => (await house.ok([...args, '--json'], { env: around })).json<Shape>();
  return {
    ...house,
    played,
    wake: () => house.up(around),
    task: async (prompt, ...more) => {
      const asked = ['--project', 'shop', '--prompt', prompt, '--executor', agent.executor, ...agent.flags(place)];
      return (await json<TaskJson>('task', 'create', ...asked, ...level.flags, ...more)).id;
    },
    agentRuns: async (id) => {
      const runs = (await house.runs(id)).filter(({ kind }) => kind === 'agent');
      return Promise.all(runs.map((run) => json<AgentRun>('run', 'show', run.id)));
    },
    reports: async (id) => (await json<{ reports: object[] }>('task', 'report', id)).reports,
    treeOf: (id) =>
      vi.waitFor(async () => {
        const found = (await house.workspaces()).find(({ use }) => use.taskId === id)?.path;
        if (found === undefined) throw new Error(`task ${id} has no workspace`);
        return found;
      }),
    processes: async () => (await survivors((await readFile(join(house.home, 'mark'), 'utf8')).trim())).length,
    killAgent: (id) =>
      vi.waitFor(async () => {
        const run = (await house.runs(id)).findLast(({ kind }) => kind === 'agent');
        const { phase } = await json<{ phase: { agent?: { pid: number } } }>('run', 'show', run?.id ?? '');
        if (!phase.agent) throw new Error(`no agent works on ${id}`);
        process.kill(phase.agent.pid, 'SIGKILL');
      }),
    lastAsked: () => JSON.stringify(played.exchanges.at(-1)?.body ?? ''),
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}

/** One test for each agent at each level; what cannot be tried says why. */
export function everywhere(
  title: string,
  body: (agent: AnyAgent, level: Level) => Promise<void>,
  { needs = [] }: { readonly needs?: readonly (keyof AnyAgent['cannot'])[] } = {},
): void {
  for (const level of levels)
    describe(level.title, () => {
      for (const agent of everyAgent) {
        const named = `${agent.title} ${title}`;
        const why = needs.map((need) => agent.cannot[need]).find((one) => one !== undefined);
        const missing = level.missing ?? agent.missing;
        if (why !== undefined) it.skip(`${named}; it cannot: ${why}`, () => {});
        else if (missing !== undefined) it.skip(`${named}; not run: ${missing}`, () => {});
        else fullOnly(named, () => body(agent, level));
      }
    });
}

/** Counts whoever comes to a port of this machine. */
export async function port(): Promise<{ readonly number: number; seen(): number } & Disposable> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    number: (server.address() as { port: number }).port,
    seen: () => count,
    [Symbol.dispose]: () => void server.close(),
  };
}
