import { Fault } from '../../domain/fault.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type SettingOrigin, type Settings } from '../../domain/settings.ts';
import type { FileValues } from './parse-settings.ts';
import { readValue } from './setting-value.ts';

export interface SettingItem {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: SettingOrigin;
  readonly summary: string;
}

export interface Resolved {
  readonly values: Settings;
  readonly items: readonly SettingItem[];
}

export type SettingsEnv = Readonly<Record<string, string | undefined>>;
/** Values given on the command line of a long-running program, as text. */
export type Flags = Readonly<Partial<Record<SettingName, string>>>;

/** Each value with where it comes from: default < file < environment < flag. */
export function resolveSettings(file: FileValues, env: SettingsEnv, flags: Flags = {}): Resolved {
  const items = SETTING_NAMES.map((name) => itemOf(name, file, env, flags));
  return { items, values: Object.freeze(Object.fromEntries(items.map(({ name, value }) => [name, value]))) as Settings };
}

function itemOf(name: SettingName, file: FileValues, env: SettingsEnv, flags: Flags): SettingItem {
  const { summary, env: variable, default: fallback } = SETTINGS[name];
  const of = (value: unknown, origin: SettingOrigin): SettingItem => ({ name, value, origin, summary });
  const flag = flags[name];
  if (flag !== undefined) return of(read(name, `--${name.replaceAll('_', '-')}`, flag), 'flag');
  const set = env[variable];
  if (set !== undefined && set !== '') return of(read(name, variable, set), 'environment');
  return name in file ? of(file[name], 'file') : of(fallback, 'default');
}

function read(name: SettingName, label: string, raw: string): unknown {
  const checked = readValue(name, raw);
  if (!checked.ok) throw new Fault('invalid', checked.why.replace(name, label), { variable: label });
  return checked.value;
}
