import { spawn } from 'node:child_process';

/** Runs a program to its end and answers with facts: exit code, what it printed, how long it took. Never throws. */
export function run(command, args, { cwd, env = process.env } = {}) {
  const started = performance.now();
  return new Promise((resolve) => {
    const parts = [];
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (bytes) => parts.push(bytes));
    child.stderr.on('data', (bytes) => parts.push(bytes));
    const end = (code, extra = '') =>
      resolve({ code, output: Buffer.concat(parts).toString('utf8') + extra, ms: performance.now() - started });
    child.on('error', (error) => end(127, `${error.message}\n`));
    child.on('close', (code, signal) => end(code ?? 1, signal ? `ended by ${signal}\n` : ''));
  });
}
