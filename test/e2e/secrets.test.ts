import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, gone } from '../fixtures/fault-house.ts';

/** Like a word: nothing about it looks like a key. */
const plainWord = () => Array.from(randomBytes(24), (byte) => 'abcdefghijklmnopqrstuvwxyz'.charAt(byte % 26)).join('');

const SCRIPT = [
  'echo "whole $SERVICE_TOKEN"',
  'a=$(printf %s "$SERVICE_TOKEN" | cut -c1-11); b=$(printf %s "$SERVICE_TOKEN" | cut -c12-)',
  'printf "split %s" "$a"; sleep 0.2; printf "%s end\\n" "$b"',
  `printf '{"type":"said","text":"it is %s, really"}\\n' "$SERVICE_TOKEN"`,
  `printf '["one",["%s"],{"deep":["%s"]}]\\n' "$SERVICE_TOKEN" "$SERVICE_TOKEN"`,
  'printf "%s" "user:$SERVICE_TOKEN" | base64',
  'echo "to stderr $SERVICE_TOKEN" >&2',
  'until [ -e ../go ]; do sleep 0.1; done',
  'echo "afterwards $SERVICE_TOKEN"',
  'printf "no newline %s" "$SERVICE_TOKEN"',
  'exit 0',
].join('\n');

/** Everything about a run that can be asked for, and every file but its spools. */
async function everything(house: FaultHouse, id: string): Promise<readonly (readonly [string, string])[]> {
  const [run] = await house.runs(id);
  const ask = async (...args: string[]) => [args.join(' '), (await house.ok(args)).out] as const;
  const files = (await readdir(house.home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !(entry.name === 'out' || entry.name === 'err'))
    .map((entry) => join(entry.parentPath, entry.name));
  return [
    await ask('task', 'log', id),
    await ask('task', 'log', id, '--stream', 'err'),
    await ask('task', 'log', id, '--json'),
    await ask('task', 'log', id, '--raw'),
    await ask('run', 'log', run?.id ?? ''),
    await ask('run', 'log', run?.id ?? '', '--stream', 'err', '--json'),
    await ask('run', 'show', run?.id ?? '', '--json'),
    await ask('task', 'show', id, '--json'),
    await ask('task', 'events', id, '--json'),
    ...(await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const))),
  ];
}

const leaks = (shown: readonly (readonly [string, string])[], secret: string) => {
  const inBase64 = Buffer.from(`user:${secret}`).toString('base64').slice(8, -6);
  return shown.filter(([, text]) => text.includes(secret) || text.includes(inBase64)).map(([where]) => where);
};

describe('a secret that only the engine had', () => {
  it('is shown to nobody who has it not: while the run goes on, after it, and after another engine took over', async () => {
    await using house = await faultHouse();
    const secret = plainWord();
    const env: Record<string, string> = house.env;
    env['SERVICE_TOKEN'] = secret;
    const engine = await house.up();
    delete env['SERVICE_TOKEN'];
    const ids = await house.queue([{ title: 'talks', script: SCRIPT }]);
    const id = ids.get('talks') ?? '';
    await vi.waitFor(async () => expect((await house.said(id)).split('\n').length).toBeGreaterThan(5), 20_000);
    const following = house.fleet(['task', 'log', id, '--follow']);
    const before = await everything(house, id);
    expect(leaks(before, secret)).toEqual([]);
    // Another engine, which never had the secret, reads what comes from now on.
    await gone(engine.process);
    const second = await house.up();
    await writeFile(join(house.directory, 'go'), '');
    await house.settled([id]);
    const after = await everything(house, id);
    expect(leaks([...after, ['follow', (await following).out], ['log', engine.log() + second.log()]], secret)).toEqual([]);
    expect((await house.said(id)).split('\n')).toEqual([
      'whole [redacted]',
      'split [redacted] end',
      '{"type":"said","text":"it is [redacted], really"}',
      '["one",["[redacted]"],{"deep":["[redacted]"]}]',
      expect.stringContaining('[redacted]'),
      'afterwards [redacted]',
      'no newline [redacted]',
      '',
    ]);
    const [run] = await house.runs(id);
    const spool = await readFile(join(house.home, 'runs', run?.id ?? '', 'out'), 'utf8');
    expect(spool.split(secret).length - 1).toBe(7);
    for (const file of [join(house.home, 'redaction.key'), join(house.home, 'runs', run?.id ?? '', 'secrets.json')])
      expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  });

  it('keeps its output back when it cannot be told any more what is secret in it', async () => {
    await using house = await faultHouse();
    const secret = plainWord();
    const env: Record<string, string> = house.env;
    env['SERVICE_TOKEN'] = secret;
    await house.up();
    delete env['SERVICE_TOKEN'];
    const ids = await house.queue([{ title: 'talks', script: 'echo "it is $SERVICE_TOKEN"\nexit 0' }]);
    await house.settled(ids.values());
    await rm(join(house.home, 'redaction.key'));
    const { code, out, err } = await house.fleet(['task', 'log', ids.get('talks') ?? '']);
    expect(out + err).not.toContain(secret);
    expect(err).toContain('which secrets the output may hold is not known');
    expect(code).not.toBe(0);
  });
});
