/**
 * Starts programs for a supervisor whose own memory would make every start block its loop: the kernel copies the page
 * tables of whoever forks. It also makes the files they need, which on a slow disk takes as long. Small, without state, and free to die: what it started lives on in sessions of its own.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { closeInherited } from '../platform/descriptors.ts';
import { applyFileOpsSync } from '../platform/file-ops.ts';
import { hasCode } from '../platform/files.ts';
import { makeCgroup } from './cgroup.ts';
import { ReadyShims } from './ready-shims.ts';
import { lineCutter, type SpawnAnswer, type SpawnProgram, type SpawnRequest } from './spawn-wire.ts';

closeInherited();
const [, , shim, mark] = process.argv;
const ready = shim === undefined || mark === undefined ? undefined : new ReadyShims(shim, mark);
const onLine = lineCutter((line) => obey(JSON.parse(line) as SpawnRequest));
process.stdin.setEncoding('utf8').on('data', onLine);
// The supervisor is gone, and so is our use.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
// A key press in the supervisor's terminal is for the supervisor.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

function obey({ n, steps, cgroup, start }: SpawnRequest): void {
  const lay = () => {
    applyFileOpsSync(steps);
    if (cgroup !== undefined) makeCgroup(cgroup);
  };
  try {
    const taken = start && isPassable(start.workDirectory) ? ready?.start(start, lay) : undefined;
    if (taken === undefined) lay();
    if (taken !== undefined) answer({ n, pid: taken });
    else if (start) begin(n, start);
    else answer({ n });
  } catch (error) {
    refuse(n, error, '');
  }
}

function begin(n: number, { file, args, workDirectory, env }: SpawnProgram): void {
  const refused = (error: unknown) => {
    const isElsewhere = hasCode(error, 'ENOENT') && !existsSync(workDirectory);
    if (isElsewhere) answer({ n, code: 'ENOENT', message: `the directory ${workDirectory} is missing` });
    else refuse(n, error, `${file} did not start: `);
  };
  try {
    const child = spawn(file, args, { cwd: workDirectory, env: { ...env }, stdio: 'ignore', detached: true });
    child.on('error', refused);
    child.unref();
    if (child.pid !== undefined) answer({ n, pid: child.pid });
  } catch (error) {
    refused(error);
  }
}

function isPassable(directory: string): boolean {
  try {
    accessSync(`${directory}/.`, constants.X_OK);
    return true;
  } catch {
    // The slow way says what is wrong with it.
    return false;
  }
}

function refuse(n: number, error: unknown, what: string): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  answer({ n, code, message: `${what}${error instanceof Error ? error.message : String(error)}` });
}

function answer(said: SpawnAnswer): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
