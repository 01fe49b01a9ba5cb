import { GENERAL_VARIABLES, NETWORK_VARIABLES, PARENT_VARIABLES, PROVIDER_VARIABLES } from '../executors/providers.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Who gets what of the environment in which Fleet itself runs. Names may hold `*`, for any letters. */
export interface EnvironmentRules {
  /** Variables of the program that is started and of its providers. */
  readonly own: readonly string[];
  /** Those of all programs Fleet knows. */
  readonly owned: readonly string[];
  /** What a person lets through to every program. */
  readonly allow: readonly string[];
  /** Nothing but what is known to be needed. */
  readonly isStrict: boolean;
}

/** What belongs to Fleet: its tokens and addresses open more than one run. Marks of tests are passed on. */
const OURS = /^FLEET_(?!TEST_)/;
const TESTS = 'FLEET_TEST_*';

const NEEDED: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR', 'LANG', 'LANGUAGE', 'LC_*'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', TESTS],
];

/**
 * The user's environment as one agent gets it: without what is Fleet's, what is another provider's, and what only says
 * where Fleet was started. In strict mode, nothing but what is needed.
 */
export function environmentFor(env: Env, rules: EnvironmentRules): Readonly<Record<string, string>> {
  const known = made.get(env) ?? new Map<string, Record<string, string>>();
  made.set(env, known);
  const which = JSON.stringify(rules);
  const found = known.get(which) ?? picked(env, rules);
  known.set(which, found);
  return found;
}

/** The environment of a process does not change, and every start asks for it. */
const made = new WeakMap<Env, Map<string, Record<string, string>>>();

function picked(env: Env, { own, owned, allow, isStrict }: EnvironmentRules): Record<string, string> {
  const [isOwn, isAllowed, isForeign] = [
    named(own),
    named([...allow, ...NETWORK_VARIABLES]),
    named([...owned, ...PROVIDER_VARIABLES]),
  ];
  const passes = (name: string): boolean => {
    if (OURS.test(name) || isOutside(name)) return false;
    if (isOwn(name) || isAllowed(name)) return true;
    return isStrict ? isNeeded(name) : !isForeign(name) || (isEverybodys(name) && !isProviders(name));
  };
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && passes(entry[0])),
  );
}

/** Whether a name is one of those, or fits one that stands for several. One pattern: this is asked at every start. */
export function named(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const open = patterns.filter((pattern) => pattern.includes('*')).map(lettersOf);
  const fits = new RegExp(`^(?:${open.join('|')})$`);
  return (name) => plain.has(name) || (open.length > 0 && fits.test(name));
}

const lettersOf = (pattern: string): string => pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\*+/g, '.*');

const isOutside = named(PARENT_VARIABLES);
const isEverybodys = named(GENERAL_VARIABLES);
const isProviders = named(PROVIDER_VARIABLES);
const isNeeded = named(NEEDED);
