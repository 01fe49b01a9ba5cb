import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { bubblewrap } from '../clis/bubblewrap.ts';
import { AS_WHOEVER_TESTS, boxed } from '../support/box-house.ts';
import { calls, mcpAgent } from '../support/mcp-house.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

const box = await bubblewrap();
/** Like a word: nothing about it looks like a key. */
const SECRET = 'quietriverunderthehill';

let house: WorkHouse;
beforeAll(async () => {
  if ('directory' in box) vi.stubEnv('PATH', `${box.directory}:${process.env['PATH']}`);
  house = await workHouse([], { engine: false, settings: ['max_concurrent=10', AS_WHOEVER_TESTS, `sandbox_read=${root}`] });
  await mkdir(join(house.home, 'executors'), { recursive: true });
  await mcpAgent(house);
  for (const name of ['other', 'another']) {
    const answer = JSON.stringify({ status: 'done', summary: `by ${name}` });
    const command = ['/bin/sh', '-c', `printf %s '${answer}' > "$1"`, name, '{result_file}'];
    await writeFile(join(house.home, 'executors', `${name}.toml`), `command = ${JSON.stringify(command)}\n`);
  }
  await house.up({ SERVICE_TOKEN: SECRET }, false);
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

interface Made {
  readonly id: string;
  readonly parentId?: string;
  readonly executors: readonly string[];
  readonly sandbox?: boolean;
  readonly reviews?: string;
}

const QUIET = ['--no-expects-changes', '--integration', 'none'];
const allow = (...refs: string[]) => house.ok(['config', 'set', `part_executors=${JSON.stringify(refs)}`]);
const partsOf = async (id: string) =>
  (await house.ok(['task', 'list', '--parent', id, '--json'])).json<{ items: Made[] }>().items.toReversed();

/** What an agent was answered that asks for a part and for a review by each of these, and what came of it. */
interface Asked {
  readonly id: string;
  readonly refused: readonly string[];
  readonly parts: readonly Made[];
}

async function overMcp(executors: readonly string[], ...flags: string[]): Promise<Asked> {
  const asks = executors.flatMap((executor) => [
    { name: 'create_subtask', arguments: { prompt: 'a part', kind: 'explore', executor } },
    { name: 'request_review', arguments: { text: `look at it, ${executor}`, executor } },
  ]);
  const prompt = calls(...asks);
  const made = await house.ok([
    ...['task', 'create', '--project', 'shop', '--prompt', prompt, '--executor', 'caller', '--json', ...QUIET, ...flags],
  ]);
  const { id } = made.json<Made>();
  expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' } });
  const answers = (await house.ok(['task', 'log', id])).out
    .split('\n')
    .flatMap((line) => /\{"name".*\}/.exec(line)?.[0] ?? [])
    .map((line) => JSON.parse(line) as { isError?: boolean; text: string });
  expect(answers).toHaveLength(asks.length);
  return { id, refused: answers.filter(({ isError }) => isError).map(({ text }) => text), parts: await partsOf(id) };
}

const fleet = `'${process.execPath}' '${join(root, 'dist', 'fleet.mjs')}'`;

/** The same by an agent that types commands where it works. */
async function byCommands(executors: readonly string[], ...flags: string[]): Promise<Asked> {
  const asks = executors.flatMap((executor) => [
    `task create --prompt 'a part' --kind explore --executor ${executor}`,
    `task review "$FLEET_TASK_ID" 'look at it, ${executor}' --executor ${executor}`,
  ]);
  const steps = asks.map((words) => `sh ${fleet} ${words} >> "$FLEET_ARTIFACT_DIR/said" 2>&1 || true`);
  const id = await house.create(`${steps.join('\n')}\ndone well`, ...QUIET, ...flags);
  expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' } });
  const said = await readFile(join(house.home, 'tasks', id, 'artifacts', 'said'), 'utf8');
  return { id, refused: said.split('\n').filter((line) => line.includes('no more than')), parts: await partsOf(id) };
}

describe.each([
  ['MCP', overMcp],
  ['commands inside of its run', byCommands],
])('an agent that asks over %s', (_door, ask) => {
  const by = (parts: readonly Made[]) => parts.map(({ executors, reviews }) => [executors[0], reviews !== undefined]);

  it('has parts and reviews done by others that are set up, by none, or by those the owner names', async () => {
    await allow('set_up');
    const { id, refused, parts } = await ask(['other', 'another']);
    expect(refused).toEqual([]);
    expect(by(parts)).toEqual([
      ['other', false],
      ['other', true],
      ['another', false],
      ['another', true],
    ]);
    expect(parts.map(({ parentId }) => parentId)).toEqual(Array(4).fill(id));
    for (const part of parts) expect(await house.rest(part.id)).toMatchObject({ phase: { state: 'done' } });
    const prompt = await promptOf(parts[1]?.id ?? '');
    expect(prompt).toContain(`${id} `);

    await allow();
    const none = await ask(['other']);
    expect(none.refused).toEqual(Array(2).fill(expect.stringContaining('allows none')));
    expect(none.parts).toEqual([]);

    await allow('another');
    const some = await ask(['other', 'another']);
    expect(some.refused).toEqual(Array(2).fill(expect.stringContaining('not to be done by other')));
    expect(by(some.parts)).toEqual([
      ['another', false],
      ['another', true],
    ]);
  });

  it('gets by none of them what its own task is kept from [EXEC-06] [T19]', async () => {
    await allow('set_up');
    const held = await ask(['other'], '--kind', 'test');
    expect(held.refused).toEqual(Array(2).fill(expect.stringContaining('held to some tools')));
    expect(held.parts).toEqual([]);
  });

  boxed('keeps the sandbox, whoever does the part [RUN-16] [T19]', async () => {
    await allow('set_up');
    const unnamed = await ask(['other'], '--sandbox');
    expect(unnamed.refused).toEqual(Array(2).fill(expect.stringContaining('not to be done by other')));
    expect(unnamed.parts).toEqual([]);
    await allow('other');
    const { parts, refused } = await ask(['other'], '--sandbox');
    expect(refused).toEqual([]);
    expect(parts.map(({ sandbox }) => sandbox)).toEqual([true, true]);
    for (const part of parts) expect(await house.rest(part.id)).toMatchObject({ phase: { state: 'done' } });
  });
});

const runDirectory = async (id: string) => join(house.home, 'runs', (await house.runs(id)).at(-1)?.id ?? '');
const promptOf = async (id: string) => readFile(join(await runDirectory(id), 'prompt.txt'), 'utf8');

it('what an agent reports of a secret that it had is told to no other agent', async () => {
  const report = { status: 'succeeded', summary: `the word is ${SECRET}`, nextSteps: [`say ${SECRET}`] };
  const made = await house.ok([
    ...['task', 'create', '--project', 'shop', '--title', 'talks', '--executor', 'caller', '--json', ...QUIET],
    ...['--prompt', calls({ name: 'submit_report', arguments: report })],
  ]);
  const { id } = made.json<Made>();
  const after = await house.ok([
    ...['task', 'create', '--project', 'shop', '--title', 'hears', '--executor', 'caller', '--json', ...QUIET, '--after', id],
    ...['--prompt', calls({ name: 'get_task', arguments: {} })],
  ]);
  const next = after.json<Made>().id;
  expect(await house.rest(next)).toMatchObject({ phase: { state: 'done' } });
  const told = [
    await promptOf(next),
    await readFile(join(await runDirectory(next), `before-${id}.json`), 'utf8'),
    await readFile(join(await runDirectory(next), 'out'), 'utf8'),
    (await house.ok(['task', 'report', id, '--json'])).out,
  ];
  for (const text of told) {
    expect(text).toContain('the word is [redacted]');
    expect(text).not.toContain(SECRET);
  }
});

boxed('the whole reports and diffs of others are read inside of a sandbox [RUN-16]', async () => {
  const rival = (name: string) =>
    house.create(`edit box.txt ${name}\ncommit ${name}\ndone I say ${name}`, '--integration', 'review', '--title', name);
  const [one, two] = [await rival('one'), await rival('two')];
  const own = '"$FLEET_RUN_DIR"';
  const steps = [
    ...[one, two].map((id) => `sh grep -q 'I say' ${own}/before-${id}.json`),
    `sh grep -q '^+one' ${own}/before-${one}.diff && grep -q '^+two' ${own}/before-${two}.diff`,
    // It is shown them, and cannot change them.
    `sh ! sh -c 'echo x > ${own}/before-${one}.json' 2> /dev/null`,
    'done read them',
  ];
  const judge = await house.create(steps.join('\n'), '--kind', 'review', '--sandbox', '--after', one, '--after', two);
  expect(await house.rest(judge)).toMatchObject({ phase: { state: 'done' } });
  await house.ok(['task', 'reject', one]);
  await house.ok(['task', 'reject', two]);
});
