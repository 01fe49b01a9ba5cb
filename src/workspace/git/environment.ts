/**
 * The environment of every git that Fleet starts: what a mode lists, and nothing else. In no mode does git read the
 * configuration of a repository, but to say what it is set to; so a setting git learns tomorrow is harmless before anybody here
 * knows of it.
 */

/**
 * - `closed`: obeys the configuration of its location, which Fleet wrote, and no other; starts no program.
 * - `user`: obeys besides what the user has set for all their repositories, filters included; for files of worktrees and checkouts,
 *   and for refs, whose log says who moved them.
 * - `look`: finds a repository, or lists what is set there. It reads the configuration of that repository, opens no object
 *   and starts nothing.
 * - `push`: as `user`, and reaches the network.
 */
export type Mode = 'closed' | 'user' | 'look' | 'push';

interface Row {
  /** Variables of the caller that are passed on. */
  readonly passes: (name: string) => boolean;
  readonly variables: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** As git names them, separated by colons. */
  readonly protocols: string;
}

/** Overrule whatever is set elsewhere, and what git does without being asked. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.pager': 'cat',
  'core.editor': ':',
  'core.askPass': '',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'push.gpgSign': 'false',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  'protocol.ext.allow': 'never',
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ASKPASS: '',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

/** Where its programs are, whose landing it belongs to, and the marks of tests. */
const isNeeded = (name: string): boolean => /^(PATH|FLEET_LANDING|FLEET_TEST_\w+)$/.test(name);

/**
 * What the user's own programs (filters, ssh, helpers for credentials) are given: all that is the user's. Of git's own variables only those
 * that say where the user's settings and certificates are.
 */
const isUsers = (name: string): boolean =>
  name.startsWith('GIT_')
    ? /^GIT_(CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|SSL_\w+|HTTP_\w+)$/.test(name)
    : name !== 'SSH_ASKPASS';

/** The user's own configuration and the machine's count for nothing. */
export const NOBODYS_CONFIGURATION = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } as const;

const MODES: Readonly<Record<Mode, Row>> = {
  closed: {
    passes: isNeeded,
    variables: { HOME: '/nonexistent', ...NOBODYS_CONFIGURATION, GIT_ATTR_NOSYSTEM: '1' },
    settings: {
      'core.attributesFile': '/dev/null',
      'core.excludesFile': '/dev/null',
      'core.protectHFS': 'true',
      'core.protectNTFS': 'true',
      'core.bare': 'false',
      // Larger files are read and written in pieces, and never as differences: so memory does not grow with them.
      'core.bigFileThreshold': '64m',
      'protocol.allow': 'never',
      'safe.bareRepository': 'explicit',
      'safe.directory': '*',
    },
    protocols: 'none',
  },
  user: {
    passes: isUsers,
    variables: {},
    settings: { 'core.bare': 'false', 'safe.bareRepository': 'explicit' },
    protocols: 'none',
  },
  look: {
    passes: isUsers,
    variables: {},
    settings: { 'credential.helper': '', 'core.sshCommand': 'false' },
    protocols: 'none',
  },
  push: {
    passes: isUsers,
    // Without a terminal and without a window nobody can be asked.
    variables: { SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' },
    settings: {},
    protocols: 'file:git:http:https:ssh',
  },
};

/** For a git that has only so much address space: packs are mapped piece by piece. */
export const IN_PIECES: Readonly<Record<string, string>> = {
  'core.packedGitWindowSize': '64m',
  'core.packedGitLimit': '512m',
};

type Variables = Readonly<Record<string, string | undefined>>;
type Settings = Readonly<Record<string, string>>;

/** All that a git of this mode is told but where it works. `more` are settings of one call. */
export function sanitizedGitEnv(mode: Mode, env: Variables, more: Settings = {}): Record<string, string> {
  const { passes, variables, settings, protocols } = MODES[mode];
  const passed = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && passes(entry[0]));
  const told = { ...Object.fromEntries(passed), ...VARIABLES, ...variables, GIT_ALLOW_PROTOCOL: protocols };
  const set = Object.entries({ ...SETTINGS, ...settings, ...more });
  const numbered = set.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return { PATH: '/usr/bin:/bin', ...told, GIT_CONFIG_COUNT: String(set.length), ...Object.fromEntries(numbered) };
}

interface Who {
  readonly name: string;
  readonly email: string;
}

/** Who made a commit, and when if not now, for git to sign it with. */
export const signedBy = ({ name, email }: Who, at?: string): Record<string, string> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
  ...(at === undefined ? {} : { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }),
});
