import { spawn, spawnSync } from 'node:child_process';
import { StepFailed } from './step-failed.ts';

const identity = ['-c', 'user.name=scripted', '-c', 'user.email=scripted@fleet.invalid', '-c', 'commit.gpgsign=false'];

/** Runs a program with its output on standard error, because standard output carries the protocol. */
export function runProgram(command: string, args: readonly string[]): void {
  const code = codeOf(command, args);
  if (code !== 0) throw new StepFailed(`${[command, ...args].join(' ').slice(0, 200)} ended with ${code}`);
}

export function commitAll(message: string): 'committed' | 'nothing to commit' {
  runProgram('git', ['add', '-A']);
  if (codeOf('git', ['diff', '--cached', '--quiet']) === 0) return 'nothing to commit';
  runProgram('git', [...identity, 'commit', '--quiet', '--message', message]);
  return 'committed';
}

/** Starts a process in its own session whose parent is gone, so that only its environment identifies its run. */
export async function daemonise(ms: number): Promise<number> {
  const script = 'sleep "$1" </dev/null >/dev/null 2>&1 & echo $!';
  const parent = spawn('/bin/sh', ['-c', script, 'sh', String(ms / 1000)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of parent.stdout) printed += String(chunk);
  return Number(printed);
}

function codeOf(command: string, args: readonly string[]): number | string {
  const { status, signal, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2] });
  if (error) throw new StepFailed(`${command} did not start: ${whyNot(command, error)}`);
  return status ?? signal ?? 'nothing';
}

/** For a bare name the system reports EACCES if any directory on PATH cannot be read, even if the program does not exist. */
function whyNot(command: string, error: Error & { readonly code?: string }): string {
  const isNowhere = !command.includes('/') && (error.code === 'ENOENT' || error.code === 'EACCES');
  return isNowhere ? 'no program of that name can be run' : error.message;
}
