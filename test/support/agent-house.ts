import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { vi } from 'vitest';
import { parseScenario } from '../../src/simulate/scenario/parse-scenario.ts';
import type { SimulatedRun, Simulator } from '../../src/simulate/simulator.ts';
import type { AcpCli } from '../clis/acp-clis.ts';
import { modelServer } from './model-server.ts';
import { type Engine, type RunJson, type TaskJson, type WorkHouse, workHouse } from './work-house.ts';

export interface AgentRun extends RunJson {
  readonly watch?: {
    readonly session?: string;
    readonly summary?: string;
    readonly limitedUntil?: string;
    readonly unknownLines?: number;
    readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number };
  };
}

/** A home with a repository, one real agent on its path, and a model that plays what the test says. */
export interface AgentHouse extends WorkHouse {
  readonly played: SimulatedRun;
  /** An engine with the agent on its path. */
  wake(): Promise<Engine>;
  task(prompt: string, ...more: string[]): Promise<string>;
  agentRuns(id: string): Promise<readonly AgentRun[]>;
  reports(id: string): Promise<readonly object[]>;
  /** The process of the agent itself, while it runs. */
  agentPid(): Promise<number>;
  /** The command lines of all processes of the runs of a task: shims, the agent, and whatever it started. */
  processesOf(id: string): Promise<readonly string[]>;
}

export async function agentHouse(
  cli: AcpCli,
  program: string,
  { scenario, settings = [] }: { scenario: string; settings?: readonly string[] },
): Promise<AgentHouse> {
  const models: Simulator = await modelServer();
  const played = models.play(parseScenario(scenario));
  const house = await workHouse([], { engine: false, settings: ['grace_seconds=2', ...settings] });
  const bin = join(house.directory, 'bin');
  await mkdir(bin);
  await symlink(program, join(bin, cli.name));
  for (const [path, text] of Object.entries(cli.atHome(played.url))) {
    const file = join(house.env['HOME'] ?? '', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const tmp = join(house.directory, 'tmp');
  await mkdir(tmp);
  const around = {
    ...cli.surroundings(played.url, program),
    PATH: `${bin}${delimiter}${house.env['PATH']}`,
    TMPDIR: tmp,
  };
  return {
    ...house,
    played,
    wake: () => house.up(around),
    task: async (prompt, ...more) => {
      const asked = ['--project', 'shop', '--prompt', prompt, '--executor', cli.name, '--model', cli.model];
      return (await house.ok(['task', 'create', ...asked, '--json', ...more])).json<TaskJson>().id;
    },
    agentRuns: async (id) => {
      const runs = (await house.runs(id)).filter(({ kind }) => kind === 'agent');
      return Promise.all(runs.map(async (run) => (await house.ok(['run', 'show', run.id, '--json'])).json<AgentRun>()));
    },
    reports: async (id) => (await house.ok(['task', 'report', id, '--json'])).json<{ reports: object[] }>().reports,
    agentPid: () => vi.waitFor(() => processOf(program, join(bin, cli.name), house.home), { timeout: 60_000, interval: 200 }),
    processesOf: async (id) => {
      const marks = (await house.runs(id)).map((run) => `FLEET_RUN_ID=${run.id}`);
      const workspaces = join(house.home, 'workspaces');
      const isOurs = ({ environ, cwd }: { environ: string; cwd: string }) =>
        cwd.startsWith(workspaces) || environ.split('\0').some((one) => marks.includes(one));
      return (await processes()).filter(isOurs).map(({ words }) => words.join(' '));
    },
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}

/** Of all processes of this machine the one that runs that program for a run in that home. */
async function processOf(program: string, link: string, home: string): Promise<number> {
  const found = (await processes()).find(({ exe, words, environ }) => {
    const isProgram = exe === program || words.slice(0, 2).includes(link);
    return isProgram && environ.includes(`FLEET_RUN_DIR=${home}`) && !words.some((word) => word.includes('shim'));
  });
  if (!found) throw new Error(`no process of ${program} works in ${home}`);
  return found.pid;
}

async function processes() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => {
      const text = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      const link = (file: string) => readlink(`/proc/${pid}/${file}`).catch(() => '');
      const [line, environ, exe, cwd] = await Promise.all([text('cmdline'), text('environ'), link('exe'), link('cwd')]);
      return { pid: Number(pid), exe, cwd, environ, words: line.split('\0') };
    }),
  );
}
