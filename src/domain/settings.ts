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

/** Every setting `runtime.toml` may hold. `docs/reference/settings.md` is generated from this table. */
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
    summary: 'how Fleet runs claude: auto uses the Agent SDK if it is installed; sdk and cli force one way',
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
      "variables of your environment that agents and project commands get: all but other providers' and Fleet's own, or with `strict` only those known to be needed",
    schema: z.enum(ENVIRONMENTS),
    default: 'inherit',
    env: 'FLEET_ENV',
  }),
  env_allow: setting({
    summary: 'further variables that every agent and every project command gets, like DATABASE_URL or MYAPP_*',
    schema: z.array(VariableName).max(200),
    default: [],
    env: 'FLEET_ENV_ALLOW',
  }),
  ...SANDBOX_SETTINGS,
  scripted: setting({
    summary:
      'whether the executor `scripted` is available, which runs prompts as shell commands: only for demonstrations and tests, since everybody who may create a task may then run commands',
    schema: z.boolean(),
    default: false,
    env: 'FLEET_SCRIPTED',
  }),
  ...BOUND_SETTINGS,
  max_attempts: setting({
    summary: 'attempts at a task whose runs crash, stall or are lost',
    schema: count(100),
    default: 3,
    env: 'FLEET_MAX_ATTEMPTS',
  }),
  max_depth: setting({
    summary: 'levels of sub-tasks below a task',
    schema: z.int().min(0).max(20),
    default: LIMITS.subTaskDepth.value,
    env: 'FLEET_MAX_DEPTH',
  }),
  part_executors: setting({
    summary:
      'further executors an agent may choose for a part or a review of its task; `set_up` means every executor that is installed here and signed in, for tasks without sandbox and bounds; an empty list allows none',
    schema: z.array(ExecutorRef).max(50),
    default: ['set_up'],
    env: 'FLEET_PART_EXECUTORS',
  }),
  allowed_repos: setting({
    summary: 'directories that projects must lie in; an empty list allows all',
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
    summary: 'whether a task moves on to its next executor while the present one is paused; a task may say otherwise',
    schema: z.enum(FAILOVERS),
    default: 'off',
    env: 'FLEET_FAILOVER',
  }),
  stall_seconds: setting({
    summary: 'seconds without a sign of life after which a run is ended and its task retried',
    schema: count(86_400),
    default: 120,
    env: 'FLEET_STALL_SECONDS',
  }),
  context_percent: setting({
    summary: "percentage of the model's window that an agent may fill before a fresh run goes on from its notes",
    schema: count(100),
    default: 90,
    env: 'FLEET_CONTEXT_PERCENT',
  }),
  grace_seconds: setting({
    summary: 'seconds a run has to end by itself before it is killed',
    schema: count(3_600),
    default: 10,
    env: 'FLEET_GRACE_SECONDS',
  }),
  max_repairs: setting({
    summary: 'times an agent is sent back because its work failed the check, before a person must look',
    schema: z.int().min(0).max(20),
    default: 2,
    env: 'FLEET_MAX_REPAIRS',
  }),
  max_gates: setting({
    summary: 'verify commands that may run at once on this machine',
    schema: count(LIMITS.holders.value),
    default: 2,
    env: 'FLEET_MAX_GATES',
  }),
  gate_seconds: setting({
    summary: 'seconds a verify command may take',
    schema: count(86_400),
    default: 3_600,
    env: 'FLEET_GATE_SECONDS',
  }),
  setup_seconds: setting({
    summary: 'seconds a set-up command may take',
    schema: count(86_400),
    default: 1_800,
    env: 'FLEET_SETUP_SECONDS',
  }),
  keep_seconds: setting({
    summary: "seconds that all tries to keep a run's work may take together; then its workspace is put aside whole",
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
      'files and directories whose changes never land without a person, in any mode; a name without a slash matches at any depth; * matches within a name, ** across directories. Your list replaces the default; `default` in it stands for the whole default list',
    schema: z.array(Path).max(200),
    default: [...GUARDED],
    env: 'FLEET_GUARDED_PATHS',
  }),
  max_output_mb: setting({
    summary: 'megabytes one run may print; more ends the run as output_limit, and the rest is dropped',
    schema: count(1_048_576),
    default: LIMITS.spoolBytes.value / (1024 * 1024),
    env: 'FLEET_MAX_OUTPUT_MB',
  }),
  max_processes: setting({
    summary: 'processes one run may have at once; more ends the run at once as over_budget',
    schema: count(1_000_000),
    default: LIMITS.processes.value,
    env: 'FLEET_MAX_PROCESSES',
  }),
  disk_reserve_mb: setting({
    summary:
      'megabytes to keep free on the disks of the home and of the workspaces; with less, nothing new is started. Unset is 1 GB, but at most a twentieth of the disk; 0 switches it off',
    schema: z.int().min(0).max(1_073_741_824),
    default: undefined,
    env: 'FLEET_DISK_RESERVE_MB',
  }),
  retention_days: setting({
    summary: 'days that `fleet db prune` keeps finished tasks',
    schema: count(36_500),
    default: 90,
    env: 'FLEET_RETENTION_DAYS',
  }),
  output_days: setting({
    summary: 'days that the output of runs is kept after their tasks have ended',
    schema: count(36_500),
    default: 30,
    env: 'FLEET_OUTPUT_DAYS',
  }),
  output_mb: setting({
    summary: 'megabytes of output of all runs together; beyond that, the oldest output of ended tasks is removed',
    schema: count(1_000_000_000),
    default: 20_480,
    env: 'FLEET_OUTPUT_MB',
  }),
  port: setting({
    summary: 'TCP port of the server; 0 takes any free port',
    schema: z.int().min(0).max(65_535),
    default: 3847,
    env: 'FLEET_PORT',
  }),
  bind: setting({
    summary: 'address the server listens on; an address other than loopback needs tls_cert and tls_key, or behind_proxy',
    schema: Title,
    default: '127.0.0.1',
    env: 'FLEET_BIND',
  }),
  allowed_hosts: setting({
    summary: 'further host names the server accepts, like fleet.example.org or fleet.example.org:8443',
    schema: z.array(Title).max(100),
    default: [],
    env: 'FLEET_ALLOWED_HOSTS',
  }),
  allowed_origins: setting({
    summary: 'further origins whose pages may call the server, like https://board.example.org',
    schema: z.array(Title).max(100),
    default: [],
    env: 'FLEET_ALLOWED_ORIGINS',
  }),
  behind_proxy: setting({
    summary: 'whether a proxy in front of the server terminates TLS',
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
    summary: 'requests per second one caller of the server may make, on average',
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

/** Where the value of a setting comes from; later origins win. */
export const SETTING_ORIGINS = ['default', 'file', 'environment', 'flag'] as const;
export type SettingOrigin = (typeof SETTING_ORIGINS)[number];

/** Whether a setting wins over the project's own: only if it was given for this one command. */
export const outranksProject = (origin: SettingOrigin | undefined): boolean => origin === 'environment' || origin === 'flag';
