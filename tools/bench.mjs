/**
 * Figures as ratios to the floor of this machine, and what became of them since they were last accepted: `npm run bench`.
 * Arguments: parts of the names of the benchmarks that are wanted, and `--accept`.
 */
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';

await setUp();
await buildIfStale();
const { register } = await import('tsx/esm/api');
register();
const { runBenches } = await import('../bench/memory/run.ts');
try {
  process.exitCode = runBenches(process.argv.slice(2), join(root, 'bench'));
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 2;
}
