import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_CODES, Fault } from '../../domain/fault.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { run } from './fake-io.ts';

describe('reading a command line', () => {
  const reads = async (...argv: string[]) => (await run(argv)).calls[0];

  it('turns flags and places into the input of the operation', async () => {
    expect(
      await reads(
        'task',
        'create',
        '--prompt',
        'do it',
        '--priority',
        '2',
        '--tag',
        'a',
        '--tag=b',
        '--no-sandbox',
        '--metadata',
        '{"x":1}',
        '--project',
        'site',
        '--max-budget-usd',
        '1.5',
      ),
    ).toEqual({
      name: 'task.create',
      input: {
        prompt: 'do it',
        priority: 2,
        tag: ['a', 'b'],
        sandbox: false,
        metadata: { x: 1 },
        project: 'site',
        maxBudgetUsd: 1.5,
      },
      key: undefined,
    });
    expect((await reads('config', 'set', 'a=1', 'b=2'))?.input).toEqual({ assignments: ['a=1', 'b=2'] });
    expect((await reads('task', 'edit', 'abcd', '--clear', 'base-ref', '--clear', 'maxTurns'))?.input).toEqual({
      id: 'abcd',
      clear: ['baseRef', 'maxTurns'],
    });
  });

  it('takes values that begin with a dash after = and after --', async () => {
    expect((await reads('task', 'create', '--prompt=-x', '--project=p'))?.input['prompt']).toBe('-x');
    expect((await reads('task', 'comment', '--', 'abcd', '--json'))?.input).toEqual({ id: 'abcd', text: '--json' });
    expect((await reads('task', 'create', '--prompt', '$(rm -rf ~) "\'', '--project=p'))?.input['prompt']).toBe(
      '$(rm -rf ~) "\'',
    );
  });

  it('makes paths absolute where the caller stands, and passes the key and the home on', async () => {
    expect((await reads('project', 'add', 'site'))?.input['path']).toBe('/home/you/code/site');
    expect((await reads('task', 'dispatch', 'abcd', '--key', 'k1'))?.key).toBe('k1');
    for (const argv of [
      ['--home', 'h', 'status'],
      ['status', '--home=h'],
    ]) {
      expect((await run(argv)).opened).toEqual([{ HOME: '/home/you', FLEET_HOME: '/home/you/code/h' }]);
    }
  });

  it('knows the shortcuts', async () => {
    expect((await reads('status'))?.name).toBe('fleet.status');
    expect((await reads('init'))?.name).toBe('home.init');
    expect((await reads('ready', '--limit', '3'))?.input).toEqual({ limit: 3 });
    expect(await reads('tasks', '--project', 'site')).toMatchObject({
      name: 'task.list',
      input: { project: 'site', state: ['running', 'verifying', 'merging'] },
    });
    expect((await reads('tasks', 'ops'))?.input).toMatchObject({ team: 'ops' });
  });

  it('takes an id before the verb, too', async () => {
    expect(await reads('task', '7k2m9xqa', 'events', '--limit', '3')).toMatchObject({
      name: 'task.events',
      input: { id: '7k2m9xqa', limit: 3 },
    });
    expect(await reads('task', '7k2m9xqa', 'send', 'stop that')).toMatchObject({ input: { id: '7k2m9xqa', text: 'stop that' } });
    expect((await reads('run', 'run_01JX0000000000000000000000', 'show'))?.name).toBe('run.show');
    expect((await run(['task', '7k2m9xqa', 'log', '--help'])).out).toContain('Usage: fleet task log ID');
    expect(await run(['task', '7k2m9xqa', 'lgo'])).toMatchObject({ code: 2, opened: [] });
    expect(await run(['task', '7k2m9xqa', 'list'])).toMatchObject({ code: 2, opened: [] });
  });

  it.each([
    [['tsk', 'list'], 'unknown command "tsk"', 'did you mean fleet task?'],
    [['task', 'lst'], 'unknown command "task lst"', 'did you mean fleet task list?'],
    [['task', 'list', '--stat', 'done'], 'unknown flag --stat', 'did you mean --state?'],
    [['--hom'], 'unknown flag --hom', 'did you mean --home?'],
    [['task', 'create', '--priority', 'high'], '--priority: expected a whole number from 0 to 9, got "high"', ''],
    [['task', 'create', '--priority', '10'], '--priority: expected a whole number from 0 to 9, got "10"', ''],
    [
      ['task', 'create', '--kind', 'magic'],
      '--kind: expected one of implement, review, test, explore, fix, full, got "magic"',
      '',
    ],
    [['task', 'create', '--metadata', '[1]'], '--metadata: expected a JSON object like {"name":"value"}, got "[1]"', ''],
    [['task', 'create', '--prompt'], '--prompt needs a value', ''],
    [['task', 'create', '--prompt', '--project', 'x'], '--prompt needs a value, and --project is a flag', '--prompt=--project'],
    [['task', 'create', '--project', 'x'], 'say what is to be done: fleet task create TEXT', ''],
    [['task', 'show'], 'ID is missing', 'fleet task show --help'],
    [['task', 'show', 'a', 'b'], 'too many arguments: "b"', 'quotes'],
    [['task', 'edit', 'a'], 'nothing to change', ''],
    [['\u001b]0;x\u0007'], 'unknown command', ''],
  ])('refuses %j with exit code 2, having opened nothing', async (argv, message, hint) => {
    const { code, out, err, opened } = await run(argv);
    expect({ code, out, opened }).toEqual({ code: 2, out: '', opened: [] });
    expect(err.startsWith(`fleet: ${message}`)).toBe(true);
    expect(err).toContain(hint);
    expect(err).not.toContain('\u001b');
  });
});

describe('the answer', () => {
  it('is one JSON value with --json, anywhere on the line, and nothing else', async () => {
    for (const argv of [
      ['task', 'list', '--json'],
      ['--json', 'task', 'list'],
    ]) {
      const { out, err, closed } = await run(argv);
      expect(JSON.parse(out)).toHaveProperty('items');
      expect({ err, closed, lines: out.split('\n').length }).toEqual({ err: '', closed: 1, lines: 2 });
    }
    expect((await run(['status', '--json'], { io: { isTty: true } })).out).toContain('\n  "home"');
  });

  it.each(FAULT_CODES)('of a refusal for %s has its own exit code and shape', async (fault) => {
    const answer = () => {
      throw new Fault(fault, 'no: \u001b[2Jreally', { hint: 'try this' });
    };
    const plain = await run(['status'], { answer });
    expect(plain).toMatchObject({ code: EXIT_CODES[fault], out: '', err: 'fleet: no: really\n       try this\n', closed: 1 });
    const json = await run(['status', '--json'], { answer });
    expect(JSON.parse(json.err)).toEqual({
      error: { code: fault, message: 'no: \u001b[2Jreally', details: { hint: 'try this' } },
    });
    expect(json).toMatchObject({ code: EXIT_CODES[fault], out: '' });
  });

  it('of a bug is exit code 1, and says so', async () => {
    const answer = () => {
      throw new TypeError('x is not a function');
    };
    expect(await run(['status'], { answer })).toMatchObject({ code: 1, err: expect.stringContaining('a fault in Fleet') });
    expect(JSON.parse((await run(['status', '--json'], { answer })).err).error.code).toBe('bug');
  });

  it('is a success when its reader has gone', async () => {
    const out = () => Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await run(['task', 'list'], { io: { out } })).toMatchObject({ code: 0, err: '', closed: 1 });
  });
});

describe('a prompt', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleet-cli-'));
    await writeFile(join(folder, 'plan.md'), 'from a file\n');
    await writeFile(join(folder, 'latin.md'), Buffer.from([0x68, 0xe9]));
    await writeFile(join(folder, 'long.md'), 'x'.repeat(1024 * 1024 + 1));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const prompt = async (args: string[], stdin = '') => {
    const { calls, err } = await run(['task', 'create', ...args], { stdin, io: { cwd: folder } });
    return calls[0]?.input['prompt'] ?? err;
  };

  it('comes from a file or from standard input', async () => {
    expect(await prompt(['--prompt-file', 'plan.md'])).toBe('from a file\n');
    expect(await prompt(['--prompt-file', '-'], 'piped')).toBe('piped');
    expect(await prompt(['--prompt', '-'], 'piped')).toBe('piped');
    expect(await prompt(['--prompt=x', '--prompt-file=plan.md'])).toContain('were both given');
    expect(await prompt(['--prompt-file', 'none.md'])).toContain('ENOENT');
    expect(await prompt(['--prompt-file', 'latin.md'])).toContain('not UTF-8');
    expect(await prompt(['--prompt-file', 'long.md'])).toContain('longer than 1048576 bytes');
  });

  it('stands in its place, in quotes, and is said once', async () => {
    expect(await prompt(['fix it'])).toBe('fix it');
    expect(await prompt(['--priority', '2', 'fix it', '--tag', 'a'])).toBe('fix it');
    expect(await prompt(['-'], 'piped')).toBe('piped');
    expect(await prompt(['fix', 'it'])).toContain('needs quotes');
    expect(await prompt(['fix it', '--prompt', 'no, this'])).toContain('the prompt in its place and --prompt were both given');
    expect(await prompt(['fix it', '--prompt-file', 'plan.md'])).toContain('were both given');
    expect((await run(['task', 'create', '--help'])).out).toMatch(
      /Usage: fleet task create \[PROMPT\] \[flags\][\s\S]*in quotes/,
    );
  });

  it('says that the directory is gone when it was deleted, and opens nothing', async () => {
    const io = { cwd: '/gone', cwdIsGone: true };
    for (const argv of [
      ['task', 'create', 'x'],
      ['task', 'create', 'x', '--directory', 'sub'],
      ['task', 'create', '--prompt-file', 'plan.md', '--project', 'site'],
      ['project', 'add', '.'],
    ]) {
      const { code, err, opened } = await run(argv, { io });
      expect({ code, opened }).toEqual({ code: 2, opened: [] });
      expect(err).toContain('the directory you are in is gone: /gone');
    }
    expect((await run(['project', 'add', '/there'], { io })).calls[0]?.input['path']).toBe('/there');
    expect((await run(['task', 'create', 'x', '--project', 'site'], { io })).code).toBe(0);
  });

  it('belongs to the directory it is given in, unless another place is named', async () => {
    const place = async (...args: string[]) => (await run(['task', 'create', '--prompt=x', ...args])).calls[0]?.input;
    expect(await place()).toEqual({ prompt: 'x', directory: '/home/you/code' });
    expect(await place('--project', 'site')).toEqual({ prompt: 'x', project: 'site' });
    expect(await place('--directory', '../notes')).toEqual({ prompt: 'x', directory: '/home/you/notes' });
  });
});

describe('a program', () => {
  it('may share its word with a noun: bare it is the program, with a verb the noun', async () => {
    const seen: unknown[] = [];
    const note = async (args: readonly string[]) => (seen.push(args) > 0 ? 0 : 1);
    const program = { summary: 'Run the engine alone.', usage: '', run: note };
    const programs = { run: program };
    await run(['run'], { programs });
    await run(['run', '--json'], { programs });
    expect(seen).toEqual([[], ['--json']]);
    expect((await run(['run', 'list', '--limit', '2'], { programs })).calls[0]).toMatchObject({
      name: 'run.list',
      input: { limit: 2 },
    });
    expect((await run(['run', 'lst'], { programs })).err).toContain('did you mean fleet run list?');
    expect((await run(['run', '--help'], { programs })).out).toMatch(
      /Run the engine alone\.[\s\S]*Usage: fleet run\n[\s\S]*cancel ID/,
    );
    expect(seen).toHaveLength(2);
  });

  it('gets the words after its name, and stands in the help', async () => {
    const seen: unknown[] = [];
    const programs = {
      up: {
        summary: 'Start.',
        usage: '[--port N]',
        run: async (args: readonly string[], { env }: { env: object }) => {
          seen.push(args, env);
          return 7;
        },
      },
    };
    expect((await run(['--home', '/h', 'up', '--port', '1'], { programs })).code).toBe(7);
    expect(seen).toEqual([['--port', '1'], { HOME: '/home/you', FLEET_HOME: '/h' }]);
    expect((await run(['--help'], { programs })).out).toContain('up          Start.');
    expect((await run(['up', '--help'], { programs })).out).toContain('Usage: fleet up [--port N]');
  });
});
