import { execFile } from 'node:child_process';

/**
 * Git, so that nothing in a repository can make it run a program: no hooks, no file-system monitor, no configuration but
 * the repository's own with its dangerous parts overruled, no questions, no network helpers.
 */
const DISARMED = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'protocol.ext.allow=never',
  'core.askPass=',
  'credential.helper=',
  'core.pager=cat',
].flatMap((setting) => ['-c', setting]);

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
  /** Git itself could not be started. */
  readonly missing: boolean;
}

export const git = (directory: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<GitAnswer> =>
  new Promise((resolve) => {
    const quiet = { GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
    const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...rest } = env;
    const options = { cwd: directory, env: { ...rest, ...quiet }, timeout: 30_000, maxBuffer: 16 * 1024 * 1024 };
    execFile('git', [...DISARMED, ...args], options, (error, out, err) => {
      const missing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
      resolve({ ok: error === null, out: out.trim(), err: err.trim(), missing });
    });
  });
