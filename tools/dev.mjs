/** `npm run dev`: `fleet up` from the source, built and started again at every change. A build that fails keeps the old copy running. */
import { spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';

const settleMs = 150;
const patienceMs = 5_000;

await setUp();
let program;
let turn = Promise.resolve();
let timer;

next();
watch(join(root, 'src'), { recursive: true }, (_, name) => {
  if (name?.endsWith('.test.ts')) return;
  clearTimeout(timer);
  timer = setTimeout(next, settleMs);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stop().then(() => process.exit(0)));

function next() {
  turn = turn.then(restart);
}

async function restart() {
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) return;
  await stop();
  program = spawn(process.execPath, [join(root, 'dist', 'fleet.mjs'), 'up', ...process.argv.slice(2)], { stdio: 'inherit' });
}

async function stop() {
  const running = program;
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill('SIGTERM');
  const force = setTimeout(() => running.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(force);
}
