/** Settings of every git that works for a private clone; there are no others. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.bare': 'false',
  // Larger files are read and written in pieces, and never as differences: so memory does not grow with them.
  'core.bigFileThreshold': '64m',
  'core.logAllRefUpdates': 'false',
  'checkout.workers': '2',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'protocol.allow': 'never',
  'safe.directory': '*',
};

/** For a git that has only so much address space: packs are mapped piece by piece. */
export const IN_PIECES: Readonly<Record<string, string>> = {
  'core.packedGitWindowSize': '64m',
  'core.packedGitLimit': '512m',
};

const FIXED: Readonly<Record<string, string>> = {
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
};

/** All that such a git is told: this, where its programs are, and the marks of tests. */
export function closedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const settings = Object.entries({ ...SETTINGS, ...more });
  const marks = Object.entries(env).filter((entry): entry is [string, string] => /^FLEET_TEST_\w+$/.test(entry[0]) && !!entry[1]);
  return {
    PATH: env['PATH'] ?? '/usr/bin:/bin',
    ...Object.fromEntries(marks),
    ...FIXED,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], n) => [
        [`GIT_CONFIG_KEY_${n}`, key],
        [`GIT_CONFIG_VALUE_${n}`, value],
      ]),
    ),
  };
}

/** Paths in GIT_ALTERNATE_OBJECT_DIRECTORIES are separated by colons unless they are quoted. */
export const quotedPath = (path: string): string => `"${path.replaceAll(/[\\"]/g, '\\$&')}"`;
