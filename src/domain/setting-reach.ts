import type { SettingName } from './settings.ts';

/**
 * Where a setting takes effect. `call`: in each call; a caller may set it in its own environment, as a default for what it
 * creates or to allow itself less. `engine`: in the running engine and its server, the same for every caller.
 * This file has no schemas because every command reads it.
 */
const REACH = {
  max_concurrent: 'engine',
  executor: 'call',
  model: 'call',
  claude_engine: 'engine',
  integration: 'call',
  isolation: 'call',
  env: 'engine',
  env_allow: 'engine',
  sandbox_hosts: 'engine',
  sandbox_read: 'engine',
  sandbox_write: 'engine',
  sandbox_user: 'engine',
  sandbox_as_root: 'engine',
  sandbox_tmp_mb: 'engine',
  scripted: 'engine',
  sandbox_memory_mb: 'engine',
  sandbox_disk_mb: 'engine',
  sandbox_cpus: 'engine',
  sandbox_seconds: 'engine',
  bounds_role: 'engine',
  bounds_team: 'engine',
  max_attempts: 'call',
  max_depth: 'call',
  part_executors: 'engine',
  allowed_repos: 'call',
  limit_executor: 'engine',
  limit_account: 'engine',
  limit_project: 'engine',
  failover: 'call',
  stall_seconds: 'engine',
  context_percent: 'engine',
  grace_seconds: 'engine',
  max_repairs: 'engine',
  max_gates: 'engine',
  gate_seconds: 'engine',
  setup_seconds: 'engine',
  keep_seconds: 'engine',
  workspace_pool: 'engine',
  guarded_paths: 'engine',
  max_output_mb: 'engine',
  max_processes: 'engine',
  disk_reserve_mb: 'engine',
  retention_days: 'call',
  output_days: 'engine',
  output_mb: 'engine',
  port: 'engine',
  bind: 'engine',
  allowed_hosts: 'engine',
  allowed_origins: 'engine',
  behind_proxy: 'engine',
  tls_cert: 'engine',
  tls_key: 'engine',
  rate_limit: 'engine',
  run_rate_limit: 'engine',
  person: 'call',
} as const satisfies Readonly<Record<SettingName, 'call' | 'engine'>>;

export const isCallSetting = (name: SettingName): boolean => REACH[name] === 'call';

export const variableOf = (name: SettingName): string => `FLEET_${name.toUpperCase()}`;

/** Settings from a caller's environment, as text. */
export type GivenSettings = Readonly<Partial<Record<SettingName, string>>>;

/** The settings an environment holds, as text by name. An empty variable counts as absent. */
export const settingsInEnv = (env: Readonly<Record<string, string | undefined>>): GivenSettings =>
  Object.fromEntries(
    (Object.keys(REACH) as SettingName[]).flatMap((name) => {
      const text = env[variableOf(name)];
      return text === undefined || text === '' ? [] : [[name, text]];
    }),
  );
