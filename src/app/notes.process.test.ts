import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { editsIn, notePlaces } from './notes.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-notes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function placesWith(name: string, put: (file: string) => unknown) {
  const places = notePlaces(folder, name);
  await mkdir(places.artifacts, { recursive: true });
  await writeFile(join(places.directory, '.task.json.written'), '{"cwd":"/before"}');
  await put(join(places.directory, 'task.json'));
  return places;
}

it('follows no link, waits for no pipe and reads no flood in the place of task.json [T13]', async () => {
  const outside = join(folder, 'outside.json');
  await writeFile(outside, '{"cwd":"/outside"}');
  const plain = await placesWith('plain', (file) => writeFile(file, '{"cwd":"/after"}'));
  const link = await placesWith('link', (file) => symlink(outside, file));
  const pipe = await placesWith('pipe', (file) => execFileSync('mkfifo', [file]));
  const flood = await placesWith('flood', (file) => writeFile(file, `{"cwd":"/after"${' '.repeat(8 * 1024 * 1024)}}`));
  const loop = await placesWith('loop', (file) => symlink(file, file));
  const endless = await placesWith('endless', (file) => symlink('/dev/zero', file));
  expect(editsIn(plain)).toEqual({ directory: '/after' });
  expect([link, pipe, flood, loop, endless].map(editsIn)).toEqual([{}, {}, {}, {}, {}]);
});
