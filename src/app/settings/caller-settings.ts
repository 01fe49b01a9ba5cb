import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../domain/fault.ts';
import { isCallSetting, variableOf } from '../../domain/setting-reach.ts';
import { isSettingName, type SettingName, type Settings } from '../../domain/settings.ts';
import type { CurrentForCall, SettingsPort } from '../../operations/scope.ts';
import { readValue } from './setting-value.ts';

/**
 * The settings as one caller finds them: what its environment gives for its own calls holds for them, and narrows where it is
 * about rights. What only the engine as a whole could go by is told as not in force, unless the engine goes by the same.
 */
export function settingsFor(port: SettingsPort, given: Readonly<Record<string, string>>): SettingsPort {
  const read = readGiven(given);
  let last: { readonly base: unknown; readonly seen: CurrentForCall } | undefined;
  return {
    ...port,
    current: () => {
      const base = port.current();
      if (last?.base !== base) last = { base, seen: overlaid(base, read) };
      return last.seen;
    },
  };
}

type Given = ReadonlyMap<SettingName, unknown>;

function readGiven(given: Readonly<Record<string, string>>): Given {
  return new Map(
    Object.entries(given).map(([name, text]) => {
      if (!isSettingName(name)) throw new Fault('invalid', `no setting ${JSON.stringify(name)} can be given with a call`);
      const checked = readValue(name, text);
      if (!checked.ok) throw new Fault('invalid', checked.why.replace(name, variableOf(name)), { variable: variableOf(name) });
      return [name, checked.value] as const;
    }),
  );
}

function overlaid(base: CurrentForCall, given: Given): CurrentForCall {
  const own = [...given].filter(([name]) => isCallSetting(name));
  const held = new Map(own.map(([name, value]) => [name, narrowed(name, value, base.values)]));
  const notInForce = [...given]
    .filter(([name, value]) => !isCallSetting(name) && !isDeepStrictEqual(value, base.values[name]))
    .map(([name, value]) => ({ name, variable: variableOf(name), given: value, inForce: base.values[name] }));
  return {
    ...base,
    values: Object.freeze({ ...base.values, ...Object.fromEntries(held) }),
    items: base.items.map((item) => {
      const name = item.name as SettingName;
      return held.has(name) ? { ...item, value: held.get(name), origin: 'environment' as const } : item;
    }),
    given: Object.fromEntries(own) as Partial<Settings>,
    allowLists: [base.values.allowed_repos, (given.get('allowed_repos') as readonly string[] | undefined) ?? []],
    notInForce,
  };
}

/** Nobody allows itself more than the engine does. */
function narrowed(name: SettingName, value: unknown, { max_depth, allowed_repos }: Settings): unknown {
  if (name === 'max_depth') return Math.min(max_depth, value as number);
  if (name !== 'allowed_repos' || allowed_repos.length === 0) return value;
  const asked = value as readonly string[];
  if (asked.length === 0) return allowed_repos;
  const isIn = (path: string, roots: readonly string[]) =>
    roots.some((root) => path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`));
  const both = [...asked.filter((path) => isIn(path, allowed_repos)), ...allowed_repos.filter((path) => isIn(path, asked))];
  // An empty list would read as if everything were allowed.
  return both.length === 0 ? asked : [...new Set(both)];
}
