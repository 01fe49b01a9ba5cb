import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../domain/fault.ts';
import type { CliDeps } from '../deps.ts';
import { run } from '../fake-io.ts';
import { SAMPLES } from '../views/samples.ts';

describe('fleet task open', () => {
  let TMPDIR: string;
  beforeEach(async () => {
    TMPDIR = await mkdtemp(join(tmpdir(), 'fleet open '));
  });
  afterEach(() => rm(TMPDIR, { recursive: true }));

  const at = (more: object = {}) => ({ isTty: true, isTyped: true, env: { HOME: '/home/you', TMPDIR }, ...more });
  const answer = (_name: string, { files }: Record<string, unknown>) => ({
    ...SAMPLES['task.open'],
    files: [{ name: 'a.json', text: 'hello' }],
    filesIn: files,
  });

  it('lays the files, hands the terminal over, ends as the program did and leaves nothing', async () => {
    const started: string[] = [];
    const inTerminal: CliDeps['inTerminal'] = async ({ command, filesIn }) => {
      started.push(command, await readFile(join(filesIn, 'a.json'), 'utf8'));
      return 7;
    };
    const ran = await run(['task', 'open', '7k2m9xqa'], { io: at(), answer, inTerminal });
    expect(ran).toMatchObject({ code: 7, out: '', err: '', closed: 1 });
    expect(started).toEqual(['/usr/bin/claude', 'hello']);
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  it('leaves nothing when it is refused, or its program cannot be started', async () => {
    const refusing = () => {
      throw new Fault('conflict', 'run 1 is at work on it');
    };
    const failing = async () => {
      throw new Fault('unavailable', 'it cannot be started');
    };
    const wishes = { io: at(), inTerminal: failing };
    expect((await run(['task', 'open', '7k2m9xqa'], { ...wishes, answer: refusing })).code).toBe(4);
    expect((await run(['task', 'open', '7k2m9xqa'], { ...wishes, answer })).code).toBe(7);
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  it.each([
    ['to another machine', { env: { FLEET_URL: 'https://fleet.example.org' } }, 'FLEET_URL'],
    ['without a terminal to read', { isTty: false }, 'no terminal'],
    ['without a terminal to type into', { isTyped: false }, 'no terminal'],
  ])('is refused %s, before anything is asked', async (_how, more, why) => {
    const ran = await run(['task', 'open', '7k2m9xqa'], { io: at(more), answer, inTerminal: async () => 0 });
    expect(ran).toMatchObject({ code: 2, calls: [] });
    expect(ran.err).toContain(why);
  });

  it('tells with --json what would be started', async () => {
    const ran = await run(['task', 'open', '7k2m9xqa', '--json'], {
      io: at({ isTyped: false }),
      answer,
      inTerminal: async () => 1,
    });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ command: '/usr/bin/claude', filesIn: expect.stringContaining(TMPDIR) });
    expect(await readdir(TMPDIR)).toEqual([]);
  });
});
