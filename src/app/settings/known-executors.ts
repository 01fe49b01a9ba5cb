import { BUILT_IN_EXECUTORS } from '../../domain/executors.ts';
import { Fault } from '../../domain/fault.ts';
import { accountRefOf, DEFAULT_ACCOUNT } from '../../domain/hold/account.ts';
import { variableOf } from '../../domain/setting-reach.ts';
import type { SettingName, Settings } from '../../domain/settings.ts';
import type { SettingView } from '../../operations/scope.ts';
import { accountsOf } from '../accounts.ts';
import { customFiles } from '../custom-executors.ts';
import type { HomePaths } from '../home.ts';
import type { FileValues } from './parse-settings.ts';

/** What is wrong with values that are well-formed. */
export type Judge = (values: FileValues) => { readonly name: SettingName; readonly why: string } | undefined;

export const executorNames = (paths: HomePaths): readonly string[] => [
  ...new Set([...BUILT_IN_EXECUTORS, ...customFiles(paths).map(({ name }) => name)]),
];

/** Executors and accounts that settings name must be known here: what nobody is called would have no effect. */
export const judgeExecutors =
  (paths: HomePaths): Judge =>
  (values) => {
    const problemWith = (ref: string): string | undefined => {
      const known = executorNames(paths);
      const { executor, account } = accountRefOf(ref);
      if (!known.includes(executor)) return `no executor ${JSON.stringify(executor)}: known are ${known.join(', ')}`;
      const accounts = account === DEFAULT_ACCOUNT ? [account] : accountsOf(paths, executor);
      if (accounts.includes(account)) return undefined;
      return `${executor} has no account ${JSON.stringify(account)}: known are ${accounts.join(', ')}`;
    };
    for (const [name, refs] of namedIn(values))
      for (const ref of refs) {
        const why = problemWith(ref);
        if (why !== undefined) return { name, why: `${name}: ${why}` };
      }
    return undefined;
  };

function namedIn({ executor, limit_executor, limit_account, bounds_role, bounds_team }: FileValues): [SettingName, string[]][] {
  return [
    ['executor', typeof executor === 'string' ? [executor] : []],
    ['limit_executor', Object.keys(limit_executor ?? {})],
    ['limit_account', Object.keys(limit_account ?? {})],
    ['bounds_role', boundIn(bounds_role)],
    ['bounds_team', boundIn(bounds_team)],
  ];
}

const boundIn = (bounds: unknown): string[] =>
  Object.values((bounds ?? {}) as Settings['bounds_team']).flatMap(({ executors = [] }) => executors);

/** Executors that the command line or the environment of an engine names: whoever starts it is there to be told. */
export function assertKnownExecutors(paths: HomePaths, items: readonly SettingView[]): void {
  for (const { name, value, origin } of items) {
    if (origin !== 'environment' && origin !== 'flag') continue;
    const found = judgeExecutors(paths)({ [name]: value });
    if (found === undefined) continue;
    const variable = origin === 'environment' ? { variable: variableOf(found.name) } : {};
    throw new Fault('invalid', origin === 'environment' ? found.why.replace(name, variableOf(found.name)) : found.why, variable);
  }
}
