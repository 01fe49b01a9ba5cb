import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processIo } from '../surfaces/cli/process-io.ts';
import { engineLogFile, newestLogFile, showLog } from './engine-log.ts';

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

  it('says what to do when there is none, and refuses what is no number', async () => {
    await expect(show()).rejects.toMatchObject({ code: 'not_found', message: 'there is no log yet' });
    await expect(show('0')).rejects.toMatchObject({ code: 'invalid' });
  });
});
