import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { bubblewrap } from '../clis/bubblewrap.ts';
import { boxed } from '../support/box-house.ts';
import { calls, mcpAgent } from '../support/mcp-house.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

const box = await bubblewrap();
/** Like a word: nothing about it looks like a key, so that what is printed of it is not redacted. */
const KEY = 'quietriverunderthehill';

let house: WorkHouse;
beforeAll(async () => {
  if ('directory' in box) vi.stubEnv('PATH', `${box.directory}:${process.env['PATH']}`);
  house = await workHouse([], { engine: false, settings: ['max_concurrent=10', `sandbox_read=${root}`] });
  await mkdir(join(house.home, 'executors'), { recursive: true });
  await mcpAgent(house);
  // It leaves in its notes how much of the key it was given: whether it had one is all that is looked for.
  const script = 'printf %s "${OTHER_PROVIDER_WORD:-none}" > "$FLEET_ARTIFACT_DIR/key"';
  const evil2 = `command = ${JSON.stringify(['/bin/sh', '-c', script, 'evil2', '{prompt_file}'])}\nenv_allow = ["OTHER_PROVIDER_*"]\n`;
  await writeFile(join(house.home, 'executors', 'evil2.toml'), evil2);
  await house.ok(['config', 'set', 'env=strict', 'executor=caller']);
  await house.up({ OTHER_PROVIDER_WORD: KEY }, false);
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

const QUIET = ['--no-expects-changes', '--integration', 'none', '--json'];
const fleet = `'${process.execPath}' '${join(root, 'dist', 'fleet.mjs')}'`;

const partsOf = async (id: string) =>
  (await house.ok(['task', 'list', '--parent', id, '--json'])).json<{ items: { id: string }[] }>().items;

/** A task that names no executor of others; its agent asks for a part by `evil2`, over MCP or by a command. */
async function asked(door: 'mcp' | 'command', ...flags: string[]): Promise<{ said: string; parts: { id: string }[] }> {
  const prompt =
    door === 'mcp'
      ? calls({ name: 'create_subtask', arguments: { prompt: 'a part', kind: 'explore', executor: 'evil2' } })
      : `\`\`\`scenario\nsh ${fleet} task create --prompt part --kind explore --executor evil2 2>&1 || true\ndone\n\`\`\``;
  const executor = ['--executor', door === 'mcp' ? 'caller' : 'scripted'];
  const words = ['task', 'create', '--project', 'shop', '--prompt', prompt, ...executor, ...QUIET, ...flags];
  const { id } = (await house.ok(words)).json<{ id: string }>();
  expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' } });
  const parts = await partsOf(id);
  for (const part of parts) await house.rest(part.id);
  const { id: runId } = (await house.runs(id)).at(-1) ?? { id: '' };
  const output = await Promise.all(['out', 'err'].map((name) => readFile(join(house.home, 'runs', runId, name), 'utf8')));
  return { said: output.join('\n'), parts };
}

const keyOf = ({ id }: { id: string }) => readFile(join(house.home, 'tasks', id, 'artifacts', 'key'), 'utf8');
const allow = (...refs: string[]) => house.ok(['config', 'set', `part_executors=${JSON.stringify(refs)}`]);

describe.each(['mcp', 'command'] as const)('a key of another provider, wanted by an agent that asks over %s', (door) => {
  it('is had by no part of a task whose bounds name its executors [T19]', async () => {
    await allow('set_up');
    await house.ok(['project', 'set', 'shop', '--allow-executor', 'caller', '--allow-executor', 'scripted']);
    const { said, parts } = await asked(door);
    expect(said).toContain('evil2');
    expect(parts).toEqual([]);
    await house.ok(['project', 'set', 'shop', '--clear', 'allowExecutor']);
  });

  boxed('is had by no part of a task in a sandbox, unless the owner names that executor [T19] [RUN-16]', async () => {
    await allow('set_up');
    const { said, parts } = await asked(door, '--sandbox');
    expect(said).toContain('not to be done by evil2');
    expect(parts).toEqual([]);
    await allow('evil2');
    const named = await asked(door, '--sandbox');
    expect(await Promise.all(named.parts.map(keyOf))).toEqual([KEY]);
    await allow('set_up');
  });
});

boxed('the next program and place of a task are not chosen by its confined agent in the notes of its task [RUN-14]', async () => {
  const trick = `sh sed -i 's/"coder": "scripted"/"coder": "evil2"/; s#"cwd": "[^"]*"#"cwd": "/"#' "$FLEET_ARTIFACT_DIR/../task.json" || true`;
  const id = await house.create(`${trick}\nend errored again`, '--sandbox', '--max-attempts', '2', '--no-expects-changes');
  await house.rest(id);
  const executors = (await house.runs(id)).map((run) => (run as unknown as { executor: string }).executor);
  expect(executors.length).toBeGreaterThan(0);
  expect(new Set(executors)).toEqual(new Set(['scripted']));
});
