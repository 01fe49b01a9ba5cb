/**
 * What keeps a repository from running a program in our git calls. Its own configuration is not read at all: a stand-in
 * takes its place (`stand-in.ts`), which holds what is listed here and nothing else, so that a setting git learns tomorrow is
 * harmless before anybody here knows of it. What the user has set for all their repositories is trusted, but for what
 * would start something behind our back.
 */

/** Overrule what the user's own configuration may say, and what git does without being asked. */
const COMMON = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.editor=:',
  'core.askPass=',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'push.gpgSign=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
];

const asArguments = (settings: readonly string[]): string[] => settings.flatMap((setting) => ['-c', setting]);

export const OVERRULED: readonly string[] = asArguments([...COMMON, 'safe.bareRepository=explicit']);

/** Where the configuration of the repository cannot be kept out, because git itself is to find out where it lies. */
export const OVERRULED_WHEN_LOOKING: readonly string[] = asArguments([...COMMON, 'credential.helper=', 'core.sshCommand=false']);

/** Settings of a repository that say how its files and history are to be read. None of them names a program. */
const TAKEN_OVER: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs)$/,
  /^core\.(autocrlf|eol|safecrlf|sharedrepository|logallrefupdates|bigfilethreshold|sparsecheckout|sparsecheckoutcone)$/,
  /^extensions\.(objectformat|compatobjectformat|refstorage|preciousobjects|noop)$/,
  /^(user|author|committer)\.(name|email)$/,
  /^remote\.(.+)\.(url|pushurl|fetch)$/,
  /^remote\.pushdefault$/,
  /^branch\.(.+)\.(remote|merge|pushremote)$/,
  /^url\.(.+)\.(insteadof|pushinsteadof)$/,
  /^(merge|diff)\.(renames|renamelimit)$/,
  /^merge\.directoryrenames$/,
  /^i18n\.commitencoding$/,
];

export const isTakenOver = (key: string): boolean => TAKEN_OVER.some((pattern) => pattern.test(key));

/** Variables of the caller that only say where the user's own settings and certificates are. */
const KEPT_VARIABLES = /^GIT_(CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|SSL_.*|HTTP_.*)$/;

const FIXED: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null/none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ASKPASS: '',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

/** The caller's environment without anything that leads git astray: every `GIT_…` that is not known to be harmless. */
export function calmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => name !== 'SSH_ASKPASS' && (!name.startsWith('GIT_') || KEPT_VARIABLES.test(name)),
  );
  return { ...Object.fromEntries(kept), ...FIXED };
}
