import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pathForArguments } from '../platform/agent-path.ts';
import { editsIn, type NotePlaces, notePlaces, notesVersion } from './notes.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-notes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function placesWith(name: string, put: (file: string) => unknown) {
  const places = notePlaces(folder, name);
  const directory = pathForArguments(places.directory);
  await mkdir(join(directory, 'artifacts'), { recursive: true });
  await writeFile(join(directory, '.task.json.written'), '{"cwd":"/before"}');
  await put(join(directory, 'task.json'));
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
  const edits = (places: NotePlaces) => editsIn(places, (text) => text.replace('secret', ''));
  expect(edits(plain)).toEqual({ directory: '/after' });
  expect([link, pipe, flood, loop, endless].map(edits)).toEqual([{}, {}, {}, {}, {}]);
  const secret = await placesWith('secret', (file) => writeFile(file, '{"cwd":"/secret","model":"secret","coder":"other"}'));
  expect(edits(secret)).toEqual({ executors: ['other'] });
});

it('waits for no pipe and follows no link among the notes an agent keeps, and still sees that they changed [T13]', async () => {
  const places = notePlaces(folder, 'kept');
  const artifacts = pathForArguments(places.artifacts);
  await mkdir(artifacts, { recursive: true });
  const marks = new Set([await notesVersion(places)]);
  for (const name of ['PLAN_AND_STATUS.md', 'KNOWLEDGE.md', 'Q&A.md']) execFileSync('mkfifo', [join(artifacts, name)]);
  marks.add(await notesVersion(places));
  await rm(artifacts, { recursive: true });
  await symlink('/dev', artifacts);
  marks.add(await notesVersion(places));
  await rm(artifacts);
  await mkdir(artifacts);
  await writeFile(join(artifacts, 'KNOWLEDGE.md'), 'one');
  marks.add(await notesVersion(places));
  await writeFile(join(artifacts, 'KNOWLEDGE.md'), 'two');
  marks.add(await notesVersion(places));
  expect(marks.size).toBe(5);
});
