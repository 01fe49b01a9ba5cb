import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exitOf, Ground, heard, identityOf, outOf, writeProgram } from './fixtures/ground.ts';
import { prepareRunDirectory, stateOf } from './run-directory.ts';
import { filesOf } from './run-place.ts';
import { installShim } from './shim.ts';

describe.each([
  ['with its arguments', false],
  ['in advance', true],
])('a shim that is started %s', (_, inAdvance) => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await Ground.open({ inAdvance });
  });
  afterEach(() => ground.expectNobody());
  afterAll(() => ground.close());

  describe('how an agent ended', () => {
    it.each([
      ['exit 0', { code: 0 }],
      ['exit 7', { code: 7 }],
      ['exit 137', { code: 137 }],
      ['exit 127', { code: 127 }],
      ['kill -KILL $$', { code: 137, signal: 'SIGKILL' }],
      ['kill -SEGV $$', { code: 139, signal: 'SIGSEGV' }],
      ['kill -TERM $$', { code: 143, signal: 'SIGTERM' }],
      ['kill -ABRT $$', { code: 134, signal: 'SIGABRT' }],
    ])('%s', async (script, facts) => {
      const run = await ground.start(script);
      expect(await exitOf(run)).toEqual(facts);
      expect(await stateOf(run)).toBe('ended');
    });

    it('says why a program never ran', async () => {
      const plain = join(ground.home, 'plain');
      await writeFile(plain, 'text');
      const noInterpreter = await writeProgram(join(ground.home, 'no-interpreter'), '#!/nowhere/sh\n');
      const binary = await writeProgram(join(ground.home, 'binary'), '\x7fELF\0\x01\x02nothing a machine could run\0');
      const refused = async (command: string) => exitOf(await ground.start('', { command, args: [] }));
      expect(await refused('no-such-program')).toEqual({ code: 127, refused: 'no-such-program: not found' });
      expect(await refused(noInterpreter)).toEqual({ code: 127, refused: `${noInterpreter}: not found` });
      expect(await refused(plain)).toEqual({ code: 126, refused: `${plain}: Permission denied` });
      expect(await refused(ground.home)).toEqual({ code: 126, refused: `${ground.home}: Permission denied` });
      expect(await refused(binary)).toMatchObject({ code: 126, refused: `${binary}: Exec format error` });
    });
  });

  describe('what an agent is given', () => {
    it('has exactly the environment it was given, the marks and where it is, also names the shim uses', async () => {
      const env = { PATH: '/usr/bin:/bin', mode: 'a', code: 'b', MULTI: 'two\nlines', EMPTY: '' };
      const run = await ground.start('', { command: '/usr/bin/env', args: ['-0'], env });
      await exitOf(run);
      const given = { ...env, FLEET_RUN_ID: run.id, FLEET_RUN_MARK: run.mark, PWD: ground.home };
      expect((await outOf(run)).split('\0').filter(Boolean).toSorted()).toEqual(
        Object.entries(given)
          .map(([name, value]) => `${name}=${value}`)
          .toSorted(),
      );
    });

    it('has its arguments as they are', async () => {
      const strange = ['', 'a b', "it's", '$HOME', '*', 'new\nline', '--'];
      const run = await ground.start('', { args: ['-c', 'printf "%s|" "$@"', 'name', ...strange] });
      await exitOf(run);
      expect(await outOf(run)).toBe(strange.map((arg) => `${arg}|`).join(''));
    });

    it('has no input, no descriptor of the shim, and every signal at its default', async () => {
      const run = await ground.start(
        'cat; for fd in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || echo $fd; done; grep SigIgn /proc/self/status',
      );
      await exitOf(run);
      expect(await outOf(run)).toBe('SigIgn:\t0000000000000000\n');
    });

    it('keeps its files to their owner and the umask of the agent as it is', async () => {
      const run = await ground.start('umask');
      await exitOf(run);
      expect((await stat(run.directory)).mode & 0o777).toBe(0o700);
      for (const path of [filesOf(run).out, filesOf(run).err, filesOf(run).job])
        expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(Number.parseInt(await outOf(run), 8)).toBe(process.umask());
    });

    it('writes no value of a variable to disk', async () => {
      const run = await ground.start('exit 0', { env: { PATH: '/usr/bin:/bin', API_KEY: 'sk-very-secret' } });
      await exitOf(run);
      for (const name of ['job.json', 'id', 'claim', 'exit', 'out', 'err'])
        expect(await readFile(join(run.directory, name), 'utf8')).not.toContain('sk-very-secret');
      expect(JSON.parse(await readFile(filesOf(run).job, 'utf8'))).toMatchObject({ env: ['API_KEY', 'PATH'] });
    });
  });

  it('lives through TERM, INT and HUP of its whole group, and says how the agent ended', async () => {
    const run = await ground.start(`trap 'exit 5' TERM; trap : INT HUP; echo ready; while :; do sleep 0.05; done`);
    await heard(run, 'ready');
    const { shim } = await identityOf(run);
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(-shim.pid, signal);
    expect(await exitOf(run)).toEqual({ code: 5 });
  });

  it('records who the agent is before its first instruction', async () => {
    const run = ground.spec(`cat id; echo; echo $$`);
    await prepareRunDirectory(run);
    await ground.spawner.start({ ...run, workDirectory: run.directory });
    await exitOf(run);
    const { agent } = await identityOf(run);
    expect((await outOf(run)).trim().split('\n').at(-1)).toBe(String(agent.pid));
    expect(await outOf(run)).toContain(` ${agent.pid} ${agent.started} `);
  });

  it('is written once per content, for its owner alone', async () => {
    const directory = join(ground.home, 'bin');
    const [first, second] = await Promise.all([installShim(directory), installShim(directory)]);
    expect(first).toBe(second);
    expect((await stat(first)).mode & 0o777).toBe(0o700);
  });
});
