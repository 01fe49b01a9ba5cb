/**
 * `npm run bench [NAME…]`: runs each `bench/*.bench.ts`, one after the other, against the built program.
 * A benchmark prints its figures and ends with a code other than 0 when a goal is missed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';

await setUp();
await buildIfStale();
const wanted = process.argv.slice(2);
const benches = readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith('.bench.ts') && (wanted.length === 0 || wanted.some((word) => name.includes(word))))
  .sort();
const missed = benches.filter((name) => {
  process.stdout.write(`\n${name}  (load ${loadavg()[0].toFixed(1)})\n`);
  return (
    spawnSync(process.execPath, ['--import', 'tsx', join(root, 'bench', name)], { cwd: root, stdio: 'inherit' }).status !== 0
  );
});
process.stdout.write(
  `\n${benches.length - missed.length} passed, ${missed.length} failed${missed.length > 0 ? `: ${missed.join(', ')}` : ''}\n`,
);
process.exitCode = missed.length > 0 || benches.length === 0 ? 1 : 0;
