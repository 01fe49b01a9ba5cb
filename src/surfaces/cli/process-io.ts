import { readlinkSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Io } from './deps.ts';

/** The terminal, pipes and environment this process was started with. */
export function processIo(): Io {
  const { stdout, stderr, stdin, env } = process;
  // Without a listener, a reader that has gone would end the process from outside; `out` reports it to its caller.
  stdout.on('error', () => {});
  stderr.on('error', () => {});
  return {
    out: (text) => written(stdout, text),
    err: (text) => written(stderr, text).catch(() => said(text)),
    stdin: () => stdin,
    isTty: stdout.isTTY === true,
    isTyped: stdin.isTTY === true,
    colour: wantsColour(env, stdout.isTTY === true),
    columns: stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    rows: stdout.isTTY ? stdout.rows || 24 : Number.POSITIVE_INFINITY,
    ...whereabouts(env),
    env,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  };
}

export function wantsColour(env: Io['env'], isTty: boolean): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTty && term !== 'dumb';
}

/**
 * The directory of the caller may have been deleted under it; that must not stop `fleet status`. Node asks for the directory in
 * many places and fails without one, so the process moves to one that is always there.
 */
function whereabouts(env: Io['env']): Pick<Io, 'cwd' | 'cwdIsGone'> {
  try {
    return { cwd: process.cwd() };
  } catch {
    const cwd = lastNameOf() || env['PWD'] || '/';
    process.chdir('/');
    return { cwd, cwdIsGone: true };
  }
}

/** What the directory was called: a shell between the caller and us does not pass that on. */
function lastNameOf(): string | undefined {
  try {
    return readlinkSync('/proc/self/cwd').replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
}

/** Past the stream: one that has failed once, as a log on a full disk does, takes nothing more when there is space again. */
function said(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody is left to tell when standard error is closed.
  }
}

const written = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
