import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { quoted } from '../support/box-house.ts';
import { PlainClient } from '../support/live-client.ts';

/** Like a word: nothing about it looks like a key, so that only whoever knows it can take it out. */
const SECRET = 'quietriverunderthehill';
const fleet = `${quoted(process.execPath)} ${quoted(join(root, 'dist', 'fleet.mjs'))}`;

let house: FaultHouse;
beforeAll(async () => {
  house = await faultHouse();
  const env: Record<string, string> = house.env;
  env['SERVICE_TOKEN'] = SECRET;
  await house.up([], false);
  delete env['SERVICE_TOKEN'];
  const repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'review']);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
});

const mcp = (name: string, args: string) =>
  `(printf '%s\\n' '${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } } })}'; printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${name}","arguments":%s}}\\n' "${args}"; sleep 3) | ${fleet} mcp`;

/** Every way in which an agent says something that others see. */
const CHANNELS: Readonly<Record<string, string>> = {
  'a question by the command line': `${fleet} question ask "is $S right?" --option "$S" --option no`,
  'a question by MCP': mcp('ask_human_question', '{\\"text\\":\\"or is it $S?\\",\\"waitSeconds\\":1}'),
  'a question on its page': `printf '\\n## Question: Why %s?\\n1. %s\\n' "$S" "$S" >> "$FLEET_ARTIFACT_DIR/Q&A.md"; until ${fleet} question list --json | grep -q 'Why '; do sleep 0.2; done`,
  'a withdrawal': `${fleet} question withdraw "$(${fleet} question ask 'to be withdrawn?' --json | sed 's/.*"id":"\\(question_[a-z0-9]*\\)".*/\\1/')" --why "no more $S"`,
  'a comment': `${fleet} task comment "$FLEET_TASK_ID" "said $S"`,
  'a part': `${fleet} task create "exit 0 # do $S $(head -c 20000 /dev/zero | tr '\\0' x)" --title "part $S" --tag "t-$S" --acceptance "has $S" --metadata "{\\"$S\\":\\"$S\\"}"`,
  'a request for a review': `${fleet} task review "$FLEET_TASK_ID" "look at $S"`,
  'a report by the command line': `${fleet} report submit --status blocked --summary "summary $S" --done "$S" --next-steps "$S" --files "$S.txt" --tests "{\\"command\\":\\"$S\\",\\"status\\":\\"$S\\"}"`,
  'a report by MCP': mcp('submit_report', '{\\"status\\":\\"blocked\\",\\"summary\\":\\"mcp $S\\"}'),
  'a commit and names of files':
    'echo more > "$S.txt"; mkdir -p ".github/$S"; echo x > ".github/$S/y.yml"; git add -A; git commit -qm "subject $S"; git branch "b-$S"; echo left > "left-$S"',
  'its output': 'echo "it is $S"; echo "it is $S" >&2',
};

const RESULT = `printf '{"status":"blocked","summary":"file %s","errors":["%s"]}' "$S" "$S" > "$FLEET_RUN_DIR/result.json"`;

async function shown(id: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const views = ['show', 'events', 'report', 'log', 'cost'].flatMap((verb) => [
    [verb, id],
    [verb, id, '--json'],
  ]);
  for (const words of [
    ...views.map((view) => ['task', ...view]),
    ['task', 'list', '--json'],
    ['question', 'list', '--all'],
    ['question', 'list', '--all', '--json'],
    ['run', 'list', '--json'],
    ['workspace', 'list', '--json'],
    ['status'],
  ])
    texts.set(words.join(' '), (await house.fleet(words)).out);
  const file = join(house.directory, `rows of ${id}.jsonl`);
  await house.ok(['db', 'export', file]);
  texts.set('every row', await readFile(file, 'utf8'));
  // What the agent itself wrote, and links to its output, are its own.
  for (const place of ['texts', join('tasks', id)])
    for (const entry of await readdir(join(house.home, place), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.parentPath.includes('artifacts')) {
        const path = join(entry.parentPath, entry.name);
        texts.set(path, await readFile(path, 'utf8'));
      }
  return texts;
}

async function leaksOf(name: string, script: string): Promise<string[]> {
  const prompt = `S=$SERVICE_TOKEN; exec 2>&1\n${script}\necho 'all is said'\nexit 0`;
  const flags = ['--title', name, '--project', 'shop', '--json'];
  const { id } = (await house.ok(['task', 'create', '--prompt', prompt, ...flags])).json<{ id: string }>();
  const token = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
  const streams = [`task/${id}`, 'board', 'questions'].map((topic) =>
    new PlainClient(() => ({ socket: join(house.home, 'fleet.sock'), token }), topic).start(),
  );
  await house.settled([id]);
  const texts = await shown(id);
  expect(texts.get('task log ' + id)).toContain('all is said');
  await Promise.all(streams.map((stream) => stream.stop()));
  for (const [n, stream] of streams.entries()) texts.set(`live stream ${n}`, JSON.stringify(stream.seen));
  expect(texts.get(`task log ${id}`)).not.toContain('not said');
  return [...texts].flatMap(([where, text]) => {
    const at = text.indexOf(SECRET);
    return at === -1 ? [] : [`${where}: …${text.slice(Math.max(0, at - 80), at + 40)}…`];
  });
}

it('an agent that says its secret in every way it has leaves it in no row, view, answer, stream or file of Fleet [T20] [RUN-15]', async () => {
  const script = Object.entries(CHANNELS)
    .map(([name, words]) => `${words} || echo 'not said: ${name}'`)
    .join('\n');
  expect(await leaksOf('every channel', script)).toEqual([]);
  const { items } = (await house.ok(['question', 'list', '--all', '--json'])).json<{ items: { text: string }[] }>();
  expect(items.map(({ text }) => text.replaceAll('[redacted]', 'X')).toSorted()).toEqual([
    'Why X?',
    'is X right?',
    'or is it X?',
    'to be withdrawn?',
  ]);
});

it('nor in its result file or its last words [T20]', async () => {
  expect(await leaksOf('result file', RESULT)).toEqual([]);
  expect(await leaksOf('last words', 'echo "I am done with $S"')).toEqual([]);
});
