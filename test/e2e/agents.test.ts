import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

interface TaskJson {
  readonly id: string;
  readonly phase: { readonly state: string; readonly reason?: string };
  readonly attempts: number;
}

interface RunsJson {
  readonly items: readonly { readonly id: string; readonly phase: { readonly state: string; readonly outcome?: string } }[];
}

/** A house whose engine runs in the background, with a directory to work in. */
async function fleetHouse(settings: readonly string[] = []): Promise<CliHouse & { readonly work: string }> {
  const house = await cliHouse();
  const work = join(house.directory, 'work');
  await mkdir(work);
  await house.ok(['config', 'set', 'executor=scripted', ...settings]);
  return { ...house, work };
}

const create = async (house: CliHouse & { work: string }, scenario: string, ...more: string[]): Promise<string> =>
  (
    await house.ok([
      'task',
      'create',
      '--directory',
      house.work,
      '--prompt',
      `\`\`\`scenario\n${scenario}\n\`\`\``,
      '--json',
      ...more,
    ])
  ).json<TaskJson>().id;

const show = async (house: CliHouse, id: string) => (await house.ok(['task', 'show', id, '--json'])).json<TaskJson>();

const outcomes = async (house: CliHouse, id: string) =>
  (await house.ok(['run', 'list', '--task', id, '--json']))
    .json<RunsJson>()
    .items.map(({ phase }) => phase.outcome ?? phase.state)
    .toReversed();

describe('agents, from an empty home', () => {
  it('do the work that is handed in, in order, and leave everything to be read', async () => {
    await using house = await fleetHouse();
    house.start(['up']);
    const first = await create(house, 'say starting\nedit hello.txt hello\ndone wrote it');
    const second = await create(house, 'run cp hello.txt copy.txt\ndone copied it', '--after', first);
    await house.ok(['task', 'wait', first, second, '--timeout', '600']);
    expect(await readFile(join(house.work, 'copy.txt'), 'utf8')).toContain('hello');
    expect((await house.ok(['task', 'log', first])).out).toContain('starting');
    expect(await outcomes(house, second)).toEqual(['succeeded']);
    expect((await house.ok(['task', 'events', second])).out).toContain('done');
  });

  it('are tried again after a crash, and not after a refusal to go on [TASK-11]', async () => {
    await using house = await fleetHouse();
    house.start(['up']);
    const flaky = await create(house, 'attempt 1: crash 7\ndone second time lucky');
    await house.ok(['task', 'wait', flaky, '--timeout', '600']);
    expect(await outcomes(house, flaky)).toEqual(['crashed', 'succeeded']);
    const silent = await create(house, 'exit 0');
    const answer = await house.fleet(['task', 'wait', silent, '--timeout', '600']);
    expect(answer.code).not.toBe(0);
    expect((await show(house, silent)).phase.state).toBe('blocked');
    expect(await outcomes(house, silent)).toHaveLength(2);
  });

  it('outlive an engine that is killed, and lose no line of output [RUN-01]', async () => {
    await using house = await fleetHouse();
    const engine = house.start(['up']);
    const lines = Array.from({ length: 40 }, (_, n) => `say line ${n}\nsleep 25`).join('\n');
    const id = await create(house, `mark ledger\n${lines}\ndone all lines said`);
    await vi.waitFor(async () => expect((await house.ok(['task', 'log', id])).out).toContain('line 3'), 30_000);
    engine.kill('SIGKILL');
    house.start(['up']);
    await house.ok(['task', 'wait', id, '--timeout', '600']);
    expect(await outcomes(house, id)).toEqual(['succeeded']);
    const said = [...(await house.ok(['task', 'log', id])).out.matchAll(/line (\d+)/g)].map((match) => Number(match[1]));
    expect(said).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect((await readFile(join(house.work, 'ledger'), 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('ask, wait for the answer also over a restart, and go on with it [RUN-01]', async () => {
    await using house = await fleetHouse();
    const engine = house.start(['up']);
    const id = await create(house, 'twoway\nask Which colour? | red | blue\ndone painted it');
    const question = await vi.waitFor(async () => {
      const { items } = (await house.ok(['question', 'list', '--json'])).json<{ items: { id: string }[] }>();
      expect(items).toHaveLength(1);
      return items[0]?.id ?? '';
    }, 30_000);
    engine.kill('SIGKILL');
    await house.ok(['question', 'answer', question, '2']);
    house.start(['up']);
    await house.ok(['task', 'wait', id, '--timeout', '600']);
    expect((await house.ok(['task', 'log', id])).out).toContain('blue');
  });

  it('end with everything they started when they are canceled [RUN-13]', async () => {
    await using house = await fleetHouse(['grace_seconds=1']);
    house.start(['up']);
    const id = await create(house, 'ignore TERM\ndaemonise 600000\nsay ready\nhang');
    await vi.waitFor(async () => expect((await house.ok(['task', 'log', id])).out).toContain('ready'), 30_000);
    await house.ok(['task', 'cancel', id]);
    await vi.waitFor(async () => expect((await show(house, id)).phase.state).toBe('canceled'), 30_000);
    expect(await outcomes(house, id)).toEqual(['canceled']);
  });

  it('are ended when they take longer than they may [RUN-07]', async () => {
    await using house = await fleetHouse(['grace_seconds=1']);
    house.start(['up']);
    const id = await create(house, 'say busy\nhang', '--timeout-seconds', '1');
    await vi.waitFor(async () => expect((await show(house, id)).phase.state).toBe('failed'), 30_000);
    expect(await outcomes(house, id)).toEqual(['timed_out']);
  });

  it('that cannot be started say why', async () => {
    await using house = await fleetHouse();
    await mkdir(join(house.home, 'executors'), { recursive: true });
    await writeFile(join(house.home, 'executors', 'echoes.toml'), 'command = ["echo", "you said {prompt}"]\noutput = "text"\n');
    const program = join(house.directory, 'program');
    await writeFile(program, '#!/no/such/interpreter\n', { mode: 0o755 });
    await writeFile(join(house.home, 'executors', 'bad.toml'), `command = [${JSON.stringify(program)}]\noutput = "text"\n`);
    house.start(['up']);
    const plain = async (executor: string) =>
      (
        await house.ok([
          'task',
          'create',
          '--directory',
          house.work,
          '--prompt',
          'hello there',
          '--executor',
          executor,
          '--max-attempts',
          '1',
          '--json',
        ])
      ).json<TaskJson>().id;
    const good = await plain('echoes');
    const bad = await plain('bad');
    await house.ok(['task', 'wait', good, '--timeout', '600']);
    expect((await house.ok(['task', 'log', good])).out).toContain('you said hello there');
    await house.fleet(['task', 'wait', bad, '--timeout', '600']);
    expect((await show(house, bad)).phase).toMatchObject({ state: 'failed' });
  });

  it('that cannot be restricted are not started when somebody asks for a restriction [EXEC-06]', async () => {
    await using house = await fleetHouse();
    house.start(['up']);
    const words = ['task', 'create', '--directory', house.work, '--prompt', 'done', '--executor', 'scripted', '--json'];
    const whole = (await house.ok([...words, '--draft'])).json<TaskJson>().id;
    for (const more of [[], ['--parent', whole]]) {
      const { id } = (await house.ok([...words, '--preset', 'review', ...more])).json<TaskJson>();
      await house.fleet(['task', 'wait', id, '--timeout', '600']);
      expect((await show(house, id)).phase).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining('scripted cannot be held to some tools'),
      });
    }
  });

  it('that take down what runs them are tried three times, then put in quarantine [R33] [TASK-11]', async () => {
    await using house = await fleetHouse();
    await mkdir(join(house.home, 'executors'), { recursive: true });
    await writeFile(
      join(house.home, 'executors', 'poison.toml'),
      'command = ["/bin/sh", "-c", "kill -9 $PPID; sleep 60"]\noutput = "text"\n',
    );
    house.start(['up']);
    const elsewhere = join(house.directory, 'elsewhere');
    await mkdir(elsewhere);
    const poison = (
      await house.ok(['task', 'create', '--directory', house.work, '--prompt', 'x', '--executor', 'poison', '--json'])
    ).json<TaskJson>().id;
    const other = (await house.ok(['task', 'create', '--directory', elsewhere, '--prompt', 'x', '--json'])).json<TaskJson>().id;
    await vi.waitFor(async () => expect((await show(house, poison)).phase.state).toBe('blocked'), {
      timeout: 60_000,
      interval: 200,
    });
    expect((await show(house, poison)).phase).toMatchObject({ block: { cause: 'quarantine', who: 'you' } });
    expect(await outcomes(house, poison)).toEqual(['lost', 'lost', 'lost']);
    await house.ok(['task', 'wait', other, '--timeout', '600']);
  });
});
