/** `npm start`: sets up, builds what is stale, and becomes `fleet up` with the remaining arguments. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isStale } from './build.mjs';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';

await setUp();
if (isStale()) {
  // In a process of its own, so that the bundler leaves nothing behind in this one.
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs'), '--if-stale'], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

// Loaded here rather than spawned: signals, terminal and exit code are the program's own.
const program = join(root, 'dist', 'fleet.mjs');
process.argv = [process.execPath, program, 'up', ...process.argv.slice(2)];
await import(pathToFileURL(program).href);
