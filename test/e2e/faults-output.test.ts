import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, memoryMb, scenario } from '../fixtures/fault-house.ts';
import { fullOnly, inFullRun } from '../full-only.ts';

const FLOOD_MB = inFullRun ? 200 : 20;
const LINE_MB = inFullRun ? 200 : 60;

describe('output without measure', () => {
  it('costs bounded memory, holds up nobody, and what is dropped is said [R26]', async () => {
    await using house = await faultHouse();
    const { pid } = await house.up();
    await house.settled((await house.queue([{ title: 'warm', script: 'echo warm\nexit 0' }])).values());
    const before = memoryMb(pid);
    let most = before;
    const watching = setInterval(() => {
      most = Math.max(most, memoryMb(pid));
    }, 50);
    const places = ['flood', 'line', 'noise'];
    const steps = {
      flood: `flood ${FLOOD_MB}MB`,
      line: `line ${LINE_MB}MB\nsay after the line`,
      noise: 'binary 2MB\nsay after the noise',
    };
    const noisy = await Promise.all(
      places.map(async (name) => {
        const directory = join(house.directory, name);
        await mkdir(directory);
        const prompt = scenario(`${steps[name as keyof typeof steps]}\ndone ${name}`);
        const made = await house.ok([
          'task',
          'create',
          '--directory',
          directory,
          '--executor',
          'scripted',
          '--prompt',
          prompt,
          '--json',
        ]);
        return made.json<{ id: string }>().id;
      }),
    );
    const quiet = await house.queue([
      ...Array.from({ length: 6 }, (_, n) => ({ title: `quiet${n}`, script: 'sleep 1\necho calm\nexit 0' })),
      { title: 'bytes', script: "printf 'bad \\377\\376 utf\\nnul \\000 here\\n\\303'\nprintf '\\nlast'\nexit 0" },
    ]);
    await house.settled(quiet.values(), 30_000);
    await house.settled(noisy, 60_000);
    clearInterval(watching);
    expect(most - before).toBeLessThan(60);
    const [flood = '', line = '', noise = ''] = noisy;
    for (const id of noisy) expect(await house.outcomes(id)).toEqual(['succeeded']);
    const last = async (id: string, ...flags: string[]) => (await house.ok(['task', 'log', id, ...flags])).out;
    expect(await last(flood, '--tail', '3')).toContain(`flood ${Math.floor((FLOOD_MB * 1024 * 1024) / 1_000)} `);
    expect(await last(line, '--tail', '5')).toContain('after the line');
    expect(await last(noise, '--tail', '5')).toContain('after the noise');
    const { watch } = (await house.ok(['run', 'show', (await house.runs(line))[0]?.id ?? '', '--json'])).json<{
      watch: { droppedBytes: number };
    }>();
    expect(watch.droppedBytes).toBeGreaterThan((LINE_MB - 1) * 1024 * 1024);
    const items = (await house.ok(['task', 'log', line, '--json'])).out;
    expect(items.length).toBeLessThan(2 * 1024 * 1024);
    const dropped = Math.max(...[...items.matchAll(/"dropped":\s*(\d+)/g)].map((match) => Number(match[1])));
    expect(dropped).toBeGreaterThan((LINE_MB - 1) * 1024 * 1024);
    const said = (await last(quiet.get('bytes') ?? '')).split('\n');
    expect(said).toHaveLength(5);
    expect(said[0]).toBe('bad \uFFFD\uFFFD utf');
    expect(said[3]).toBe('last');
  });

  fullOnly('that somebody deletes does not stop the engine: the run ends by its exit, the log says what is left', async () => {
    await using house = await faultHouse();
    const { log } = await house.up();
    const script = 'echo first\nuntil [ -e ../go ]; do sleep 0.1; done\necho second\nexit 0';
    const ids = await house.queue([
      { title: 'robbed', script },
      { title: 'emptied', script },
      { title: 'quiet', script },
    ]);
    const id = (title: string) => ids.get(title) ?? '';
    await vi.waitFor(async () => {
      for (const title of ids.keys()) expect(await house.said(id(title))).toContain('first');
    }, 20_000);
    const spool = async (title: string) => join(house.home, 'runs', (await house.runs(id(title)))[0]?.id ?? '', 'out');
    await rm(await spool('robbed'));
    await writeFile(await spool('emptied'), '');
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values(), 20_000);
    expect((await house.runs()).map(({ phase }) => phase.outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(await house.said(id('robbed'))).toBe('');
    expect(await house.said(id('emptied'))).toContain('second');
    expect(await house.said(id('quiet'))).toBe('first\nsecond\n');
    expect(log()).not.toContain('controller.failed');
  });
});

describe('secrets an agent prints', () => {
  const known = 'correct-horse-battery-staple-42';
  const key = `sk-ant-api03-${'Ab1'.repeat(20)}`;
  const header = `hdr${'x9'.repeat(12)}`;

  fullOnly(
    'leave its spool nowhere: no log, no row, no question, no file but the spool itself, for a reader who knows them too',
    async () => {
      await using house = await faultHouse(['max_attempts=1']);
      const env: Record<string, string> = house.env;
      env['MY_API_KEY'] = known;
      const engine = await house.up();
      await writeFile(
        join(house.home, 'executors', 'events.toml'),
        [
          'command = ["/bin/sh", "{prompt_file}"]',
          'output = "jsonl"',
          'mode = "twoway"',
          '[[events]]\nwhen = { type = "said" }\nthen = "said"\ntext = "text"',
          '[[events]]\nwhen = { type = "asked" }\nthen = "asked"\nrequest = "id"\ntext = "text"\noptions = "options"',
          '[[events]]\nwhen = { type = "reported" }\nthen = "reported"\nreport = "report"',
          '[[events]]\nwhen = { type = "ended" }\nthen = "ended"\nverdict = "succeeded"\nsummary = "text"',
          '',
        ].join('\n'),
      );
      // The prompt holds none of them: they are put together by the agent.
      const parts = `k="sk-ant-"; k="$k""api03-${'Ab1'.repeat(20)}"; h="hdr""${'x9'.repeat(12)}"\n`;
      const text = `${parts}echo "env $MY_API_KEY"\necho "key $k" >&2\necho "[\\"a\\",{\\"x\\":[\\"$MY_API_KEY\\",\\"$k\\"]}]"\necho "Authorization: Bearer $h"\n`;
      const jsonl =
        `${parts}printf '{"type":"asked","id":"q","text":"is %s or %s right?","options":["%s","no"]}\\n' "$MY_API_KEY" "$k" "$k"\nread -r answer\n` +
        `printf '{"type":"said","text":"Authorization: Bearer %s"}\\n' "$h"\n` +
        `printf '{"type":"reported","report":{"status":"done","summary":"used %s","list":["%s"]}}\\n' "$k" "$MY_API_KEY"\n` +
        `printf '{"type":"ended","text":"ended with %s and %s"}\\n' "$MY_API_KEY" "$k"\nexit 0`;
      const ids = await house.queue([
        { title: 'says', script: `${text}exit 0` },
        { title: 'crashes', script: `${text}echo "last words $MY_API_KEY $k"\nexit 5` },
      ]);
      const asks = await house.create(jsonl, '--executor', 'events');
      const question = await vi.waitFor(async () => {
        const found = await house.ok(['question', 'list', '--json']);
        const [item] = found.json<{ items: { id: string }[] }>().items;
        expect(item).toBeDefined();
        return { id: item?.id ?? '', out: found.out };
      }, 20_000);
      await house.ok(['question', 'answer', question.id, 'no']);
      await house.settled([...ids.values(), asks]);
      const seen = [
        ['question list', question.out],
        ...(await everything(house, [...ids.values(), asks])),
        ['engine log', engine.log()],
      ] as const;
      const leaks = seen.flatMap(([where, shown]) =>
        Object.entries({ known, key, header }).flatMap(([name, secret]) => (shown.includes(secret) ? [`${where}: ${name}`] : [])),
      );
      expect(leaks).toEqual([]);
      expect(seen.find(([where]) => where.startsWith('task log'))?.[1]).toContain('env ');
      for (const { id } of await house.runs())
        for (const name of ['out', 'err']) {
          const file = join(house.home, 'runs', id, name);
          expect({ name, mode: ((await stat(file)).mode & 0o777).toString(8) }).toEqual({ name, mode: '600' });
        }
    },
  );
});

/** All that can be asked about tasks and their runs, and the files of the database. */
async function everything(house: FaultHouse, ids: readonly string[]): Promise<[string, string][]> {
  const shown: [string, string][] = [];
  const ask = async (...args: string[]) => shown.push([args.slice(0, 2).join(' '), (await house.ok(args)).out]);
  for (const id of ids) {
    await ask('task', 'log', id);
    await ask('task', 'log', id, '--stream', 'err');
    await ask('task', 'show', id, '--json');
    await ask('task', 'events', id, '--json');
  }
  await ask('run', 'list', '--json');
  for (const { id } of await house.runs()) await ask('run', 'show', id, '--json');
  // The house of the person who looks has no such variable: only what the engine wrote can hide it.
  for (const name of (await readdir(house.home)).filter((file) => file.includes('.db')))
    shown.push([name, await readFile(join(house.home, name), 'latin1')]);
  expect(shown.some(([name]) => name.includes('.db'))).toBe(true);
  return shown;
}
