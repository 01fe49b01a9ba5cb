import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cliHouse } from '../support/cli-house.ts';

interface TaskJson {
  readonly id: string;
  readonly phase: { readonly state: string };
}

const statusIn = async (notes: string) =>
  (JSON.parse(await readFile(join(notes, 'task.json'), 'utf8')) as { status: string }).status;

describe('the notes of a task', () => {
  it('are laid out for every agent, linked to its output, and heeded when a person changes them [RUN-14]', async () => {
    await using house = await cliHouse();
    const [work, elsewhere] = [join(house.directory, 'work'), join(house.directory, 'elsewhere')];
    await Promise.all([mkdir(work), mkdir(elsewhere), mkdir(join(house.home, 'executors'), { recursive: true })]);
    await writeFile(join(house.home, 'executors', 'shell.toml'), 'command = ["/bin/sh", "{prompt_file}"]\noutput = "text"\n');
    await writeFile(
      join(house.home, 'executors', 'pwd.toml'),
      'command = ["/bin/sh", "-c", "echo model \\"$1\\" in; pwd", "pwd", "{model}"]\noutput = "text"\n',
    );
    await house.ok(['config', 'set', 'executor=shell', 'max_attempts=1']);
    const engine = house.start(['up']);
    const { id } = (
      await house.ok(['task', 'create', '--directory', work, '--prompt', 'ls "$FLEET_ARTIFACT_DIR"\nexit 3', '--json'])
    ).json<TaskJson>();
    const state = async () => (await house.ok(['task', 'show', id, '--json'])).json<TaskJson>().phase.state;
    await vi.waitFor(async () => expect(await state()).toBe('failed'), 30_000);
    const notes = join(house.home, 'tasks', id);
    await vi.waitFor(async () => expect(await readdir(notes)).toContain('events.jsonl'), 10_000);
    for (const name of ['KNOWLEDGE.md', 'PLAN_AND_STATUS.md', 'Q&A.md']) {
      expect(await readdir(join(notes, 'artifacts'))).toContain(name);
      expect(await readFile(join(notes, 'log.jsonl'), 'utf8')).toContain(name);
    }
    expect(await readFile(join(notes, 'log.stderr'), 'utf8')).toBe('');
    const last = (await readFile(join(notes, 'events.jsonl'), 'utf8')).trim().split('\n').at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ what: 'settle', to: 'failed' });

    const told = JSON.parse(await readFile(join(notes, 'task.json'), 'utf8')) as Record<string, unknown>;
    await vi.waitFor(async () => expect(await statusIn(notes)).toBe('failed'), 10_000);
    expect(told).toMatchObject({ id, cwd: work, coder: 'shell', model: null });
    await writeFile(join(notes, 'artifacts', 'KNOWLEDGE.md'), 'the tests live in t/\n');
    await writeFile(join(notes, 'task.json'), JSON.stringify({ ...told, cwd: elsewhere, coder: 'pwd', model: 'big one' }));
    await house.ok(['task', 'retry', id]);
    await vi.waitFor(async () => expect(await state()).toBe('done'), 30_000);
    await vi.waitFor(async () => expect(await statusIn(notes)).toBe('done'), 10_000);
    expect((await house.ok(['task', 'log', id])).out).toBe(`model big one in\n${elsewhere}\n`);
    expect(await readFile(join(notes, 'artifacts', 'KNOWLEDGE.md'), 'utf8')).toBe('the tests live in t/\n');

    engine.kill('SIGTERM');
    await new Promise((resolve) => engine.once('exit', resolve));
    const [run] = await readdir(join(house.home, 'runs'));
    await mkdir(join(house.home, 'runs', 'mine'));
    await house.ok(['db', 'prune', '--older-than-days', '0']);
    expect(run).toMatch(/^run_/);
    expect(await readdir(join(house.home, 'runs'))).toEqual(['mine']);
    expect(await readdir(join(house.home, 'tasks'))).toEqual([]);
  });
});
