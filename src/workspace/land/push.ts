import { isAbsolute } from 'node:path';
import { type Setting, settingsOf, valueOf } from '../git/repository-settings.ts';
import { ownGitDir } from '../git/scratch-git-dir.ts';
import { gitDirectory } from '../git-directory.ts';
import { isBranchName } from './target.ts';

export interface Pushed {
  readonly ok: boolean;
  readonly remote?: string;
  readonly why?: string;
}

const PUSH_MS = 120_000;

/**
 * Pushes a branch under its own name, never by force. The user's own settings hold as always: credential helpers, ssh, addresses
 * to use instead. Of the repository's settings only the address of the remote and headers to send are taken, because
 * agents may have written the others and many of them name programs.
 */
export async function pushBranch(
  repository: string,
  { branch, remote: wanted }: { readonly branch: string; readonly remote?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<Pushed> {
  if (!isBranchName(branch)) return { ok: false, why: `${JSON.stringify(branch)} is not the name of a branch` };
  const settings = await settingsOf(repository, env);
  const remote = wanted ?? remoteOf(settings, branch);
  const address = addressOf(settings, remote);
  if (address === undefined) return { ok: false, remote, why: `there is no remote ${JSON.stringify(remote)}` };
  if (address.startsWith('-') || /^[\w+.-]*::/.test(address)) {
    return { ok: false, remote, why: `the remote ${remote} has an address that runs a program: ${address}` };
  }
  const furniture = { withRefs: true, settings: harmless(settings, remote, address) };
  await using side = await ownGitDir(await gitDirectory(repository), furniture, env);
  const ref = `refs/heads/${branch}`;
  const local = isLocal(address) ? [`--receive-pack=${LOCAL_RECEIVER}`] : [];
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    ...local,
    '--',
    remote,
    `${ref}:${ref}`,
  ];
  // An address may be said relative to the repository.
  const ran = await side.run(args, { mode: 'push', cwd: repository, timeoutMs: PUSH_MS, apart: true });
  if (ran.code === 0) return { ok: true, remote };
  return {
    ok: false,
    remote,
    why:
      ran.stopped === 'time' ? `the remote did not answer for ${PUSH_MS / 1_000} s` : reasonOf(ran.out.toString('utf8'), ran.err),
  };
}

const remoteOf = (settings: readonly Setting[], branch: string): string =>
  valueOf(settings, `branch.${branch}.pushremote`) ??
  valueOf(settings, 'remote.pushdefault') ??
  valueOf(settings, `branch.${branch}.remote`) ??
  'origin';

const addressOf = (settings: readonly Setting[], remote: string): string | undefined =>
  valueOf(settings, `remote.${remote}.pushurl`) ?? valueOf(settings, `remote.${remote}.url`);

const harmless = (settings: readonly Setting[], remote: string, address: string) => [
  { key: `remote.${remote}.url`, value: address },
  ...settings.filter(({ key, trusted }) => !trusted && /^http\.(.*\.)?extraheader$/s.test(key)),
];

const isLocal = (address: string): boolean => isAbsolute(address) || /^\.{0,2}\/|^file:/.test(address) || !address.includes(':');

/** A remote on this machine would run its hooks as us, and its address may be an agent's choice. */
const LOCAL_RECEIVER =
  'git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true -c receive.autogc=false receive-pack';

function reasonOf(out: string, err: string): string {
  const refused =
    out
      .split('\n')
      .find((line) => line.startsWith('!'))
      ?.split('\t')
      .at(-1) ?? '';
  if (/fetch first|non-fast-forward|stale info/.test(refused)) {
    return 'the remote has commits that are not here: bring them in first; nothing was overwritten';
  }
  if (refused !== '') return `the remote refused it: ${[refused, remoteWords(err)].filter(Boolean).join('; ')}`.slice(0, 600);
  if (err.includes('src refspec ') && err.includes(' does not match any')) return 'there is no such branch here';
  if (AUTH.test(err)) return `the remote did not accept your credentials, and nobody could be asked for them: ${lastWords(err)}`;
  return lastWords(err);
}

const AUTH =
  /Authentication failed|could not read (Username|Password)|Permission denied|terminal prompts disabled|Host key verification failed/;

const remoteWords = (err: string): string =>
  err
    .split('\n')
    .filter((line) => line.startsWith('remote: '))
    .map((line) => line.slice('remote: '.length).trim())
    .filter((line) => line !== '')
    .slice(0, 5)
    .join(' ');

const lastWords = (err: string): string => err.split('\n').slice(0, 4).join('; ').slice(0, 600) || 'git gave no reason';
