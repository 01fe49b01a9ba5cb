import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processIo } from '../surfaces/cli/process-io.ts';
import { engineLogFile, logLimit, newestLogFile, showLog } from './engine-log.ts';

let path = '';
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'fleet-log-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

const show = async (...args: string[]) => {
  let out = '';
  const io = { ...processIo(), out: (text: string) => void (out += text), isTty: false, env: { FLEET_HOME: path } };
  return { code: await showLog(args, io), out };
};

describe('the log of an engine in the background', () => {
  it('has a file for each day, and only the newest are kept', async () => {
    await mkdir(join(path, 'logging'));
    for (let day = 10; day < 30; day++) await writeFile(join(path, 'logging', `fleet-2030-01-${day}.jsonl`), '');
    await writeFile(join(path, 'logging', 'mine.txt'), '');
    expect(await engineLogFile({ path }, '2030-01-31T12:00:00.000Z')).toBe(join(path, 'logging', 'fleet-2030-01-31.jsonl'));
    const left = (await readdir(join(path, 'logging'))).toSorted();
    expect({ count: left.length, first: left[0] }).toEqual({ count: 15, first: 'fleet-2030-01-16.jsonl' });
  });

  it('is shown from the file that was written last, whole or its last lines', async () => {
    const older = await engineLogFile({ path }, '2030-01-30T12:00:00.000Z');
    const newer = await engineLogFile({ path }, '2030-01-31T12:00:00.000Z');
    await writeFile(older, '1\n2\n\u001b[2J3\n');
    await writeFile(newer, 'x\n');
    await utimes(newer, new Date(0), new Date(0));
    expect(await newestLogFile({ path })).toBe(older);
    expect(await show()).toEqual({ code: 0, out: '1\n2\n3\n' });
    expect((await show('2')).out).toBe('2\n3\n');
    expect(JSON.parse((await show('1', '--json')).out)).toEqual({ file: older, lines: ['\u001b[2J3'] });
  });

  it('never grows beyond its limit: the newest lines stay, and it says how much went', async () => {
    const file = await engineLogFile({ path }, '2030-01-31T12:00:00.000Z');
    await writeFile(file, '');
    const told = logLimit({ path }, { file, mostBytes: 10_000 });
    let most = 0;
    for (let n = 0; n < 2_000; n += 1) {
      const line = `{"event":"line ${n}"}\n`;
      await appendFile(file, line);
      told(line.length);
      most = Math.max(most, (await stat(file)).size);
    }
    expect(most).toBeLessThanOrEqual(10_000 + 100);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { event: string; droppedBytes?: number });
    expect(events[0]?.event).toBe('log.shortened');
    expect(events[0]?.droppedBytes).toBeGreaterThan(7_000);
    expect(events.at(-1)?.event).toBe('line 1999');
    const numbers = events.slice(1).map(({ event }) => Number(event.slice(5)));
    expect(numbers).toEqual(numbers.map((_, n) => 2_000 - numbers.length + n));
  });

  it('is the only file that is ever shortened', async () => {
    await engineLogFile({ path }, '2030-01-31T12:00:00.000Z');
    const file = join(path, 'mine.jsonl');
    await writeFile(file, 'x'.repeat(1_000));
    logLimit({ path }, { file, mostBytes: 10 })(1_000);
    expect((await stat(file)).size).toBe(1_000);
  });

  it('says what to do when there is none, and refuses what is no number', async () => {
    await expect(show()).rejects.toMatchObject({ code: 'not_found', message: 'there is no log yet' });
    await expect(show('0')).rejects.toMatchObject({ code: 'invalid' });
  });
});
