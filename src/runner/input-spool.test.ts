import { appendFile, readFile, stat } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exitOf, Ground, heard, identityOf, outOf, patiently } from './fixtures/ground.ts';
import { appendMissing, endInput } from './input-spool.ts';
import { filesOf, type RunFiles, recordedSync } from './run-place.ts';
import { endRun } from './terminate-tree.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

const twoway = { mode: 'twoway' } as const;
const say = (run: RunFiles, text: string, from = 0): Promise<number> => appendMissing(run, { from, bytes: Buffer.from(text) });
const close = (run: RunFiles): Promise<void> =>
  patiently(async () => expect(await endInput(run, { withinMs: 50 })).toBe('closed'));

describe('a two-way agent', () => {
  it('hears what is appended, and ends when its input does', async () => {
    const run = await ground.start('while read -r line; do echo "heard $line"; done; echo bye; exit 3', twoway);
    const first = await say(run, 'one\n');
    await heard(run, 'heard one');
    await say(run, 'two\n', first);
    await heard(run, 'heard two');
    await close(run);
    expect(await exitOf(run)).toEqual({ code: 3 });
    expect(await outOf(run)).toBe('heard one\nheard two\nbye\n');
  });

  it('hears the last line also when the input ends at once after it', async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n} ${'x'.repeat(100)}\n`).join('');
    const run = await ground.start('sleep 0.05; cat', twoway);
    await say(run, lines);
    await close(run);
    await exitOf(run);
    expect(await outOf(run)).toBe(lines);
  });

  it('gets a line that was torn by a crash completed exactly', async () => {
    const line = Buffer.from(`${'é'.repeat(100_000)}\n`);
    const run = await ground.start('cat', twoway);
    await appendFile(filesOf(run).in, line.subarray(0, 77_001));
    expect(await appendMissing(run, { from: 0, bytes: line })).toBe(line.length);
    expect(await appendMissing(run, { from: 0, bytes: line })).toBe(line.length);
    await close(run);
    await exitOf(run);
    expect((await readFile(filesOf(run).out)).equals(line)).toBe(true);
  });

  it('leaves no pump and no pipe when it ends by itself', async () => {
    const run = await ground.start('exit 4', twoway);
    expect(await exitOf(run)).toEqual({ code: 4 });
    const { pump } = await identityOf(run);
    expect(pump && recordedSync(run, pump)).toBeUndefined();
    await endRun(run, { graceMs: 0, hardMs: 1_000 });
    await expect(stat(filesOf(run).pipe)).rejects.toThrow('ENOENT');
  });

  it('still has its input when its group is asked to end', async () => {
    const run = await ground.start(
      `trap 'asked=1' TERM; echo ready; while read -r line || [ -n "$asked" ]; do echo "$line"; asked=; done`,
      twoway,
    );
    await heard(run, 'ready');
    process.kill(-(await identityOf(run)).shim.pid, 'SIGTERM');
    await say(run, 'after\n');
    await heard(run, 'after');
    await close(run);
    await exitOf(run);
  });
});

describe('appending', () => {
  it('refuses to go on after bytes that were not sent', async () => {
    const run = await ground.start('exec cat', twoway);
    await say(run, 'one\n');
    await expect(say(run, 'two\n', 9)).rejects.toThrow('holds 4 bytes; expected 9 to 13');
    await expect(say(run, 'xxx\n and more\n')).rejects.toThrow('holds other bytes');
    await endRun(run, { graceMs: 0, hardMs: 5_000 });
  });
});
