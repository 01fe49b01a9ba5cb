/** `npm run picture`: plays the demo in a terminal of 100 columns and writes docs/demo.svg from what could be seen. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { type Shot, takesOf } from './picture/film.ts';
import { Screen } from './picture/screen.ts';
import { svgOf } from './picture/svg.ts';

const columns = 100;
const everyMs = 250;
/** What follows names a directory of this one time. */
const lastLine = /✓ landed/;

/** The program believes that a person looks. */
const asTerminal = `data:text/javascript,${encodeURIComponent(
  `Object.assign(process.stdout, { isTTY: true, columns: ${columns}, rows: 100 })`,
)}`;

function record(scratch: string): Promise<Shot[]> {
  const screen = new Screen();
  const shots: Shot[] = [{ atMs: 0, rows: [] }];
  const env = { ...process.env, TMPDIR: scratch, FORCE_COLOR: '1', TERM: 'xterm-256color' };
  const child = spawn(process.execPath, ['--import', asTerminal, join(root, 'dist', 'fleet.mjs'), 'demo'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const began = performance.now();
  const shoot = () => shots.push({ atMs: Math.round(performance.now() - began), rows: screen.rows() });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen.write(text);
    if (performance.now() - began - (shots.at(-1)?.atMs ?? 0) >= everyMs) shoot();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      shoot();
      if (code === 0) resolve(shots);
      else reject(new Error(`the demo ended with ${code}`));
    });
  });
}

const textOf = (row: Shot['rows'][number]): string => Array.from(row, (cell) => cell?.text ?? ' ').join('');

spawnSync(process.execPath, [join(root, 'tools', 'build.mjs'), '--if-stale'], { stdio: 'inherit' });
const scratch = mkdtempSync(join(tmpdir(), 'fleet-picture-'));
try {
  const shots = await record(scratch);
  const end = (shots.at(-1)?.rows ?? []).findIndex((row) => lastLine.test(textOf(row)));
  // Until something is to be seen, nothing is to be waited for.
  const first = shots.findIndex(({ rows }) => rows.length > 0);
  const startMs = shots[first]?.atMs ?? 0;
  const film = shots.slice(first).map(({ atMs, rows }) => ({ atMs: atMs - startMs, rows: rows.slice(0, end + 1) }));
  const svg = svgOf(takesOf(film), { columns, rows: end + 2, title: 'fleet demo' });
  writeFileSync(join(root, 'docs', 'demo.svg'), svg);
  process.stdout.write(`docs/demo.svg: ${Math.round(svg.length / 1024)} KB, ${film.length} shots\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
