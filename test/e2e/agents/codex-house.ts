import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { vi } from 'vitest';
import { survivors } from '../../../src/runner/process-table.ts';
import { parseScenario } from '../../../src/simulate/scenario/parse-scenario.ts';
import type { SimulatedRun, Simulator } from '../../../src/simulate/simulator.ts';
import { modelServer } from '../../support/model-server.ts';
import { type Engine, type TaskJson, type WorkHouse, workHouse } from '../../support/work-house.ts';

/** A house whose agents are the real Codex, each with a model of its own that plays a scenario. */
export interface CodexHouse extends WorkHouse {
  readonly models: Simulator;
  /** What its engines are started with. */
  readonly around: Readonly<Record<string, string>>;
  readonly engineNow: Engine;
  /** Where codex keeps what is its user's. */
  readonly codexHome: string;
  work(scenario: string, ...flags: string[]): Promise<Work>;
  /** Runs of agents, oldest first. */
  agentRuns(id: string): Promise<readonly RunFacts[]>;
  outcomes(id: string): Promise<readonly string[]>;
  last(id: string): Promise<RunFacts>;
  /** Waits until a tool of its agent runs. */
  toolRuns(id: string): Promise<void>;
  /** The workspace of a task. */
  placeOf(id: string): Promise<string>;
  /** Processes of a run that are there now. */
  processes(runId: string): Promise<readonly object[]>;
}

export interface Work {
  readonly id: string;
  readonly played: SimulatedRun;
}

export interface RunFacts {
  readonly id: string;
  readonly kind: string;
  readonly phase: {
    readonly state: string;
    readonly outcome?: string;
    readonly detail?: string;
    readonly agent?: { readonly pid: number };
  };
  readonly watch: {
    readonly session?: string;
    readonly unknownLines?: number;
    readonly limitedUntil?: string;
    readonly openTools: readonly string[];
    readonly quota?: readonly object[];
    readonly context?: { readonly tokens: number; readonly limit?: number };
    readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens: number };
  };
}

/** As npm lays it out: a script on the path, and the program itself in a package beside it. */
async function asInstalled(directory: string, program: string): Promise<string> {
  const [, target = ''] = /\/vendor\/([^/]+)\/bin\/codex$/.exec(program) ?? [];
  const modules = join(directory, 'lib', 'node_modules', '@openai');
  const native = join(modules, `codex-${process.platform}-${process.arch}`, 'vendor', target, 'bin', 'codex');
  const wrapper = join(modules, 'codex', 'bin', 'codex.js');
  const bin = join(directory, 'bin');
  for (const file of [native, wrapper, join(bin, 'codex')]) await mkdir(dirname(file), { recursive: true });
  await symlink(program, native);
  await writeFile(wrapper, '#!/bin/sh\necho the wrapper was started >&2\nexit 1\n', { mode: 0o755 });
  await symlink(wrapper, join(bin, 'codex'));
  return bin;
}

export interface CodexHouseOptions {
  readonly settings?: readonly string[];
  /** More of the user's config.toml. */
  readonly config?: string;
}

export async function codexHouse(program: string, { settings = [], config = '' }: CodexHouseOptions = {}): Promise<CodexHouse> {
  const house = await workHouse([], { engine: false, settings: ['grace_seconds=2', 'max_concurrent=6', ...settings] });
  const models = await modelServer();
  const bin = await asInstalled(house.directory, program);
  // Its helpers refuse to work from a home under the temporary directory.
  const [codexHome, TMPDIR] = [join(house.directory, 'codex home'), join(house.directory, 'tmp')];
  for (const directory of [codexHome, TMPDIR]) await mkdir(directory);
  await writeFile(join(codexHome, 'config.toml'), config);
  const around = {
    PATH: `${bin}${delimiter}${house.env['PATH']}`,
    TMPDIR,
    CODEX_HOME: codexHome,
    OPENAI_API_KEY: 'sk-none',
  };
  const engineNow = await house.up(around, false);
  const json = async <Shape>(...args: string[]) => (await house.ok([...args, '--json'])).json<Shape>();
  const agentRuns = async (id: string) => {
    const runs = (await house.runs(id)).filter(({ kind }) => kind === 'agent');
    return Promise.all(runs.map((run) => json<RunFacts>('run', 'show', run.id)));
  };
  const last = async (id: string) => {
    const run = (await agentRuns(id)).at(-1);
    if (!run) throw new Error(`no agent has run for ${id}`);
    return run;
  };
  return {
    ...house,
    models,
    around,
    engineNow,
    codexHome,
    work: async (scenario, ...flags) => {
      const played = models.play(parseScenario(scenario));
      const made = await json<TaskJson>(
        ...['task', 'create', '--project', 'shop', '--prompt', 'Do what is to be done.', '--executor', 'codex'],
        ...['--model', 'simulated', ...ledTo(played.url).flatMap((arg) => `--extra-arg=${arg}`), ...flags],
      );
      return { id: made.id, played };
    },
    agentRuns,
    outcomes: async (id) => (await agentRuns(id)).map(({ phase }) => phase.outcome ?? phase.state),
    last,
    toolRuns: (id) =>
      vi.waitFor(
        async () => {
          if ((await last(id)).watch.openTools.length === 0) throw new Error(`no tool of ${id} runs`);
        },
        { timeout: 60_000, interval: 200 },
      ),
    placeOf: async (id) => (await house.workspaces()).find(({ use }) => use.taskId === id)?.path ?? '',
    processes: async (runId) =>
      (await survivors((await readFile(join(house.home, 'mark'), 'utf8')).trim())).filter((one) => one.runId === runId),
    [Symbol.asyncDispose]: async () => {
      await models[Symbol.asyncDispose]();
      await house[Symbol.asyncDispose]();
    },
  };
}

/** It takes no address of a model from its environment. */
const ledTo = (url: string): readonly string[] => {
  const provider = `{name="simulated",base_url="${url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`;
  return ['-c', 'model_provider="simulated"', '-c', `model_providers.simulated=${provider}`];
};
