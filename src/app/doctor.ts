import { access, constants, stat } from 'node:fs/promises';
import type { Settings } from '../domain/settings.ts';
import { askVersion } from '../platform/ask-version.ts';
import { exists } from '../platform/files.ts';
import { readHighWater } from '../store/sqlite/high-water.ts';
import { lossIn } from '../store/sqlite/upkeep/accept.ts';
import { quickCheck } from '../store/sqlite/upkeep/quick-check.ts';
import { writeJson } from '../surfaces/cli/answer.ts';
import type { CliEnv, CliProgram, Io } from '../surfaces/cli/deps.ts';
import { EXIT_CODES } from '../surfaces/cli/exit-codes.ts';
import { programWords } from '../surfaces/cli/parse/program-words.ts';
import { doctorPage, type Finding, isWell } from '../surfaces/cli/views/executor/doctor.ts';
import { viewStyleOf } from '../surfaces/cli/views/style.ts';
import { engineOf, withServices } from './background.ts';
import { nearestThere } from './disk-room.ts';
import { diskFindings } from './doctor-disk.ts';
import { agentFindings, executorsFor, sandboxFindings } from './doctor-executors.ts';
import { type HomePaths, homePaths } from './home.ts';
import { priceSource, pricesFile } from './prices.ts';
import { installer } from './sandbox/installer.ts';
import { sandboxFinding } from './sandbox/sandbox-finding.ts';
import { liveFile } from './serve/live-file.ts';
import { judgeExecutors } from './settings/known-executors.ts';
import { openSettings } from './settings/open-settings.ts';

const timeoutMs = 5_000;
const leastNode: readonly [number, number] = [20, 19];

interface Tool {
  readonly name: string;
  readonly needed?: true;
  /** The oldest version Fleet can use. */
  readonly least?: readonly [number, number];
  readonly args?: readonly string[];
  /** What to install when it is missing: a package of the system, or one of npm. */
  readonly from: { readonly system: string } | { readonly npm: string };
}

const TOOLS: readonly Tool[] = [
  { name: 'git', needed: true, least: [2, 38], from: { system: 'git' } },
  { name: 'tmux', args: ['-V'], from: { system: 'tmux' } },
  { name: 'gh', from: { system: 'gh' } },
  { name: 'bd', from: { npm: '@beads/bd' } },
  { name: 'python3', from: { system: 'python3' } },
  { name: 'context-mode', from: { npm: 'context-mode' } },
];

/** `fleet doctor`: exit code 0 unless something Fleet itself needs is broken. */
export const doctor: CliProgram['run'] = async (args, given) => {
  const { json, io } = programWords('doctor', args, given, { switches: [], places: 0 });
  const paths = homePaths(io.env, io.cwd);
  const install = await installer(io.env);
  const [tools, sandbox, executors, own] = await Promise.all([
    Promise.all(TOOLS.map((tool) => toolFinding(tool, install, io.env))),
    Promise.all([settingsHere(paths, io.env), liveFile(paths.live)]).then(([settings, live]) =>
      sandboxFinding(io.env, { settings, pid: live?.pid }),
    ),
    executorsFor(io),
    ownFindings(paths, io),
  ]);
  const agents =
    executors.problem === undefined ? agentFindings(executors.items, (await settingsHere(paths, io.env))?.executor) : [];
  const findings = [
    nodeFinding(process.versions.node),
    ...tools,
    sandbox,
    ...sandboxFindings(executors.items, sandbox.state === 'ok'),
    ...own,
    ...unknownExecutors(executors.problem),
    ...agents,
  ];
  const ok = isWell(findings);
  if (json) await writeJson(io, { ok, items: findings, executors: executors.items });
  else await io.out(doctorPage(findings, executors.items, viewStyleOf({ ...io, input: {} })));
  return ok ? EXIT_CODES.ok : EXIT_CODES.unavailable;
};

const unknownExecutors = (problem: string | undefined): Finding[] =>
  problem === undefined
    ? []
    : [{ name: 'executors', needed: false, state: 'broken', detail: problem, repair: 'fleet executor list' }];

export function nodeFinding(version: string): Finding {
  const isNew = isAtLeast(version, leastNode);
  const seen = { name: 'node', needed: true, version, path: process.execPath };
  if (isNew) return { ...seen, state: 'ok' };
  return {
    ...seen,
    state: 'broken',
    detail: `Fleet needs ${leastNode.join('.')} or newer`,
    repair: 'install Node 22 from https://nodejs.org',
  };
}

async function toolFinding(
  { name, needed, least, args = ['--version'], from }: Tool,
  install: string,
  env: CliEnv,
): Promise<Finding> {
  const repair = 'npm' in from ? `npm install -g ${from.npm}` : `${install} ${from.system}`;
  const told = await askVersion(name, args, { env, timeoutMs });
  const about = { name, needed: needed === true };
  if (!told.found) return { ...about, state: needed ? 'broken' : 'off', detail: 'not found', repair };
  const { path, version, problem } = told;
  const seen = { ...about, path, ...(version !== undefined && { version }) };
  if (problem !== undefined) return { ...seen, state: 'broken', detail: problem, repair };
  if (least && version !== undefined && !isAtLeast(version, least))
    return { ...seen, state: 'broken', detail: `Fleet needs ${name} ${least.join('.')} or newer`, repair };
  return { ...seen, state: 'ok' };
}

function isAtLeast(version: string, least: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > least[0] || (major === least[0] && minor >= least[1]);
}

/** One after the other: a database that is damaged must be known before it is opened. */
async function ownFindings(paths: HomePaths, io: Io): Promise<Finding[]> {
  const home = await homeFinding(paths);
  const disk = await diskFindings(paths, (await settingsHere(paths, io.env))?.disk_reserve_mb);
  const database = await databaseFinding(paths);
  const engine: Finding =
    database.state === 'broken'
      ? { name: 'engine', needed: false, state: 'off', detail: 'cannot be known' }
      : await engineFinding(io);
  return [home, ...disk, database, engine, await settingsFinding(paths, io.env), ...(await pricesFinding(paths))];
}

/** Only where there are prices of the user's own. */
async function pricesFinding(paths: HomePaths): Promise<Finding[]> {
  const path = pricesFile(paths);
  if (!(await exists(path))) return [];
  const problem = priceSource(paths).problem();
  const seen = { name: 'prices', needed: false, path };
  return [
    problem === undefined ? { ...seen, state: 'ok' } : { ...seen, state: 'broken', detail: problem, repair: `edit ${path}` },
  ];
}

async function homeFinding({ path }: HomePaths): Promise<Finding> {
  const seen = { name: 'home', needed: true, path };
  const broken = (detail: string): Finding => ({
    ...seen,
    state: 'broken',
    detail,
    repair: 'export FLEET_HOME=DIR, a directory of your own',
  });
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory()) return broken('is not a directory');
  const place = found ? path : await nearestThere(path);
  const isWritable = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return broken(`this user may not write to ${place}`);
  return found ? { ...seen, state: 'ok' } : { ...seen, state: 'off', detail: 'not made yet', repair: 'fleet init' };
}

async function databaseFinding({ database }: HomePaths): Promise<Finding> {
  const seen = { name: 'database', needed: true, path: database };
  if (!(await exists(database)) && readHighWater(database) === undefined)
    return { ...seen, state: 'off', detail: 'not made yet', repair: 'fleet init' };
  const problem = await problemOf(database);
  if (problem === undefined) return { ...seen, state: 'ok' };
  return { ...seen, state: 'broken', detail: problem, repair: 'fleet db check' };
}

async function problemOf(database: string): Promise<string | undefined> {
  try {
    const size = (await stat(database).catch(() => undefined))?.size;
    const isRead = size !== undefined && size <= mostBytes;
    return (isRead ? quickCheck(database) : undefined) ?? lossIn(database)?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Pages of a larger one would be read for too long; `fleet db check` reads them all. */
const mostBytes = 256 * 1024 * 1024;

async function engineFinding(io: Io): Promise<Finding> {
  const seen = { name: 'engine', needed: false };
  try {
    const engine = await withServices(io, engineOf);
    if (engine) return { ...seen, state: 'ok', detail: `process ${engine.pid} on ${engine.host}, since ${engine.since}` };
    return { ...seen, state: 'off', detail: 'does not run', repair: 'fleet up --background' };
  } catch (error) {
    return { ...seen, state: 'broken', detail: error instanceof Error ? error.message : String(error), repair: 'fleet db check' };
  }
}

/** What the settings say, as far as they can be read. */
const settingsHere = (paths: HomePaths, env: CliEnv): Promise<Settings | undefined> =>
  openSettings({ home: paths.path, env }).then(
    (source) => source.current().values,
    () => undefined,
  );

async function settingsFinding(paths: HomePaths, env: CliEnv): Promise<Finding> {
  const { path, settings } = paths;
  const seen = { name: 'settings', needed: false, path: settings };
  const problem = await openSettings({ home: path, env, judge: judgeExecutors(paths) }).then(
    (source) => source.current().problem,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem !== undefined) return { ...seen, state: 'broken', detail: problem, repair: 'fleet config show' };
  return { ...seen, state: 'ok' };
}
