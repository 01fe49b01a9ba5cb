/**
 * Starts programs for a supervisor whose own memory would make every start block its loop: the kernel copies the page
 * tables of whoever forks. Small, without state, and free to die: what it started lives on in sessions of its own.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hasCode } from '../platform/files.ts';
import { lineCutter, type SpawnAnswer, type SpawnRequest } from './spawn-wire.ts';

const onLine = lineCutter((line) => start(JSON.parse(line) as SpawnRequest));
process.stdin.setEncoding('utf8').on('data', onLine);
// The supervisor is gone, and so is our use.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
// A key press in the supervisor's terminal is for the supervisor.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

function start(request: SpawnRequest): void {
  try {
    const child = spawn(request.file, request.args, {
      cwd: request.workDirectory,
      env: { ...request.env },
      stdio: 'ignore',
      detached: true,
    });
    child.on('error', (error) => refuse(request, error));
    child.unref();
    if (child.pid !== undefined) answer({ n: request.n, pid: child.pid });
  } catch (error) {
    refuse(request, error);
  }
}

function refuse({ n, file, workDirectory }: SpawnRequest, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  const message = error instanceof Error ? error.message : String(error);
  const isElsewhere = hasCode(error, 'ENOENT') && !existsSync(workDirectory);
  answer({ n, code, message: isElsewhere ? `the directory ${workDirectory} is missing` : `${file} did not start: ${message}` });
}

function answer(said: SpawnAnswer): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
