import { z } from 'zod';
import { BOUND_SETTINGS } from './bounds/bound-settings.ts';
import { ExecutorRef } from './hold/executor-ref.ts';
import { LIMITS } from './limits.ts';
import { SANDBOX_SETTINGS } from './sandbox-settings.ts';
import { count, setting } from './setting.ts';
import { FAILOVERS } from './task/failover.ts';
import { INTEGRATIONS, ISOLATIONS } from './task/task.ts';
import { Name, Path, Title, VariableName } from './values.ts';
import { GUARDED } from './work/guarded-paths.ts';

const ENVIRONMENTS = ['inherit', 'strict'] as const;

const counts = z.record(z.string(), count(LIMITS.holders.value));

/** Everything `runtime.toml` may say. `docs/reference/settings.md` is made from this table. */
export const SETTINGS = {
  max_concurrent: setting({
    summary: 'runs at once in the whole fleet',
    schema: count(LIMITS.holders.value),
    default: 3,
    env: 'FLEET_MAX_CONCURRENT',
  }),
  executor: setting({
    summary: 'executor of a task that names none',
    schema: ExecutorRef,
    default: 'claude',
    env: 'FLEET_EXECUTOR',
  }),
  model: setting({
    summary: "model of a task that names none, for the default executor only; unset is that executor's own default",
    schema: Title,
    default: undefined,
    env: 'FLEET_MODEL',
  }),
  claude_engine: setting({
    summary: 'how claude is spoken to: by the Agent SDK where that is installed, always so, or by its own command line',
    schema: z.enum(['auto', 'sdk', 'cli']),
    default: 'auto',
    env: 'FLEET_CLAUDE_ENGINE',
  }),
  integration: setting({
    summary: 'what happens to finished work',
    schema: z.enum(INTEGRATIONS),
    default: 'review',
    env: 'FLEET_INTEGRATION',
  }),
  isolation: setting({
    summary: 'where an agent works',
    schema: z.enum(ISOLATIONS),
    default: 'worktree',
    env: 'FLEET_ISOLATION',
  }),
  env: setting({
    summary:
      "what agents and commands of projects get of your environment: all but other providers' and Fleet's own, or in `strict` only what is known to be needed",
    schema: z.enum(ENVIRONMENTS),
    default: 'inherit',
    env: 'FLEET_ENV',
  }),
  env_allow: setting({
    summary: 'variables that every agent and every command of a project gets besides, like DATABASE_URL or MYAPP_*',
    schema: z.array(VariableName).max(200),
    default: [],
    env: 'FLEET_ENV_ALLOW',
  }),
  ...SANDBOX_SETTINGS,
  scripted: setting({
    summary:
      'whether there is the executor `scripted`, which runs what a prompt says as shell commands: for demonstrations and tests, where everybody who may create a task may do that',
    schema: z.boolean(),
    default: false,
    env: 'FLEET_SCRIPTED',
  }),
  ...BOUND_SETTINGS,
  max_attempts: setting({
    summary: 'attempts at a task that keeps ending by accident',
    schema: count(100),
    default: 3,
    env: 'FLEET_MAX_ATTEMPTS',
  }),
  max_depth: setting({
    summary: 'how deep sub-tasks may create sub-tasks',
    schema: z.int().min(0).max(20),
    default: LIMITS.subTaskDepth.value,
    env: 'FLEET_MAX_DEPTH',
  }),
  part_executors: setting({
    summary:
      'executors besides its own that an agent may choose for a part or a review of its task; `set_up` is each that is found here and signed in, for tasks without sandbox and bounds; none at all keeps to its own',
    schema: z.array(ExecutorRef).max(50),
    default: ['set_up'],
    env: 'FLEET_PART_EXECUTORS',
  }),
  allowed_repos: setting({
    summary: 'directories projects must lie in; empty allows all',
    schema: z.array(Path).max(200),
    default: [],
    env: 'FLEET_ALLOWED_REPOS',
  }),
  limit_executor: setting({
    summary: 'runs at once of one executor, by its name',
    schema: counts,
    default: {},
    env: 'FLEET_LIMIT_EXECUTOR',
  }),
  limit_account: setting({
    summary: 'runs at once on one account, as executor/account',
    schema: counts,
    default: {},
    env: 'FLEET_LIMIT_ACCOUNT',
  }),
  limit_project: setting({
    summary: 'runs at once in one project, by its name',
    schema: counts,
    default: {},
    env: 'FLEET_LIMIT_PROJECT',
  }),
  failover: setting({
    summary: 'whether a task moves on to the next of its executors while its own is paused, unless it says so itself',
    schema: z.enum(FAILOVERS),
    default: 'off',
    env: 'FLEET_FAILOVER',
  }),
  stall_seconds: setting({
    summary: 'without any sign of life for this long, a run is ended and its task tried again',
    schema: count(86_400),
    default: 120,
    env: 'FLEET_STALL_SECONDS',
  }),
  context_percent: setting({
    summary: "how full the window of an agent's model may be, in percent, before a fresh run goes on from its notes",
    schema: count(100),
    default: 90,
    env: 'FLEET_CONTEXT_PERCENT',
  }),
  grace_seconds: setting({
    summary: 'how long a run has to end by itself before it is killed',
    schema: count(3_600),
    default: 10,
    env: 'FLEET_GRACE_SECONDS',
  }),
  max_repairs: setting({
    summary: 'times an agent is told that what it claims is not so, before a person must look',
    schema: z.int().min(0).max(20),
    default: 2,
    env: 'FLEET_MAX_REPAIRS',
  }),
  max_gates: setting({
    summary: 'verify commands at once on this machine',
    schema: count(LIMITS.holders.value),
    default: 2,
    env: 'FLEET_MAX_GATES',
  }),
  gate_seconds: setting({
    summary: 'longest a verify command may take',
    schema: count(86_400),
    default: 3_600,
    env: 'FLEET_GATE_SECONDS',
  }),
  setup_seconds: setting({
    summary: 'longest a set-up command may take',
    schema: count(86_400),
    default: 1_800,
    env: 'FLEET_SETUP_SECONDS',
  }),
  keep_seconds: setting({
    summary: 'longest it may take, in all tries, to keep what a run left; then its workspace is put aside whole',
    schema: count(86_400),
    default: 300,
    env: 'FLEET_KEEP_SECONDS',
  }),
  workspace_pool: setting({
    summary: 'unused workspaces kept ready for each project',
    schema: z.int().min(0).max(100),
    default: 3,
    env: 'FLEET_WORKSPACE_POOL',
  }),
  guarded_paths: setting({
    summary:
      'names of files and directories whose changes never land without a person, in any mode, at any depth unless there is a slash within; * within a name, ** across directories. A list of your own takes the place of the default; `default` in it stands for all of that',
    schema: z.array(Path).max(200),
    default: [...GUARDED],
    env: 'FLEET_GUARDED_PATHS',
  }),
  max_output_mb: setting({
    summary: 'megabytes one run may print; more ends it as output_limit, and the rest is dropped',
    schema: count(1_048_576),
    default: LIMITS.spoolBytes.value / (1024 * 1024),
    env: 'FLEET_MAX_OUTPUT_MB',
  }),
  max_processes: setting({
    summary: 'processes one run may have at once; more ends it at once as over_budget',
    schema: count(1_000_000),
    default: LIMITS.processes.value,
    env: 'FLEET_MAX_PROCESSES',
  }),
  disk_reserve_mb: setting({
    summary:
      'megabytes that stay free on the disks of the home and of the workspaces: below that nothing new is started. Unset is 1 GB, but at most a twentieth of the disk; 0 switches it off',
    schema: z.int().min(0).max(1_073_741_824),
    default: undefined,
    env: 'FLEET_DISK_RESERVE_MB',
  }),
  retention_days: setting({
    summary: 'how long finished tasks are kept by `fleet db prune`',
    schema: count(36_500),
    default: 90,
    env: 'FLEET_RETENTION_DAYS',
  }),
  output_days: setting({
    summary: 'how long the output of runs is kept once their tasks have come to an end',
    schema: count(36_500),
    default: 30,
    env: 'FLEET_OUTPUT_DAYS',
  }),
  output_mb: setting({
    summary: 'how much output of runs is kept in all, in megabytes; beyond it the oldest of tasks that have come to an end goes',
    schema: count(1_000_000_000),
    default: 20_480,
    env: 'FLEET_OUTPUT_MB',
  }),
  port: setting({
    summary: 'TCP port of the server; 0 takes any that is free',
    schema: z.int().min(0).max(65_535),
    default: 3847,
    env: 'FLEET_PORT',
  }),
  bind: setting({
    summary: 'address the server listens at; another than loopback needs tls_cert and tls_key, or behind_proxy',
    schema: Title,
    default: '127.0.0.1',
    env: 'FLEET_BIND',
  }),
  allowed_hosts: setting({
    summary: 'names besides its own under which the server may be asked, like fleet.example.org or fleet.example.org:8443',
    schema: z.array(Title).max(100),
    default: [],
    env: 'FLEET_ALLOWED_HOSTS',
  }),
  allowed_origins: setting({
    summary: 'origins besides its own whose pages may ask, like https://board.example.org',
    schema: z.array(Title).max(100),
    default: [],
    env: 'FLEET_ALLOWED_ORIGINS',
  }),
  behind_proxy: setting({
    summary: 'a proxy of yours in front of the server speaks TLS to the world',
    schema: z.boolean(),
    default: false,
    env: 'FLEET_BEHIND_PROXY',
  }),
  tls_cert: setting({
    summary: 'file with the certificate the server shows, with its chain, in PEM',
    schema: Path,
    default: undefined,
    env: 'FLEET_TLS_CERT',
  }),
  tls_key: setting({
    summary: 'file with the key of that certificate, in PEM',
    schema: Path,
    default: undefined,
    env: 'FLEET_TLS_KEY',
  }),
  rate_limit: setting({
    summary: 'requests one caller of the server may make in a second, in the long run',
    schema: count(1_000_000),
    default: 500,
    env: 'FLEET_RATE_LIMIT',
  }),
  run_rate_limit: setting({
    summary: 'requests one run may make of the server in a second, in the long run',
    schema: count(1_000_000),
    default: 100,
    env: 'FLEET_RUN_RATE_LIMIT',
  }),
  person: setting({
    summary: 'name under which your own commands are recorded',
    schema: Name,
    default: 'you',
    env: 'FLEET_PERSON',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]['schema']> | Unset<Name> };
type Unset<Name extends SettingName> = (typeof SETTINGS)[Name]['default'] extends undefined ? undefined : never;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/** Where a value comes from; later ones win. */
export const ORIGINS = ['default', 'file', 'environment', 'flag'] as const;
export type Origin = (typeof ORIGINS)[number];

/** A setting of the whole home gives way to what a project says, unless it was given for this one command. */
export const outranksProject = (origin: Origin | undefined): boolean => origin === 'environment' || origin === 'flag';
