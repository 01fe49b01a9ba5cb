import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Engine, type WorkHouse, workHouse } from '../support/work-house.ts';

let house: WorkHouse;
let engine: Engine;
beforeAll(async () => {
  house = await workHouse([], { engine: false, settings: ['grace_seconds=1'] });
  engine = await house.up({}, false);
});
afterAll(() => house[Symbol.asyncDispose]());

interface Events {
  readonly runId: string;
  readonly items: readonly { readonly type: string; readonly at: number; readonly text?: string; readonly outcome?: string }[];
  readonly next: number;
  readonly ended: boolean;
}

describe('the decoded log of an agent', () => {
  it('is followed while it works, over a crash of the engine, and read again afterwards', async () => {
    const go = join(house.directory, 'go');
    const id = await house.create(
      `say I look around\nsh until [ -e '${go}' ]; do sleep 0.1; done\nspend 1200 34 $0.5 opus\nsay It is well\nedit a.txt yes\ndone all is well`,
      '--integration',
      'none',
    );
    const follower = house.start(['task', 'log', id, '--follow', '--events']);
    let out = '';
    follower.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const closed = once(follower, 'close');
    await vi.waitFor(() => expect(out).toContain('● I look around'), 30_000);
    expect(out).not.toContain('It is well');
    await engine.kill('SIGKILL');
    engine = await house.up();
    await writeFile(go, '');
    const [code] = await closed;
    expect(code).toBe(0);
    await house.rest(id);
    const told = out.trimEnd().split('\n');
    for (const text of ['● I look around', '● It is well', '$ 1.2k in, 34 out, $0.50, opus', 'the run ended: succeeded'])
      expect(
        told.filter((line) => line.includes(text)),
        text,
      ).toHaveLength(1);
    expect(told.findIndex((line) => line.includes('look around'))).toBeLessThan(
      told.findIndex((line) => line.includes('is well')),
    );
    expect(told.at(-1)).toContain('■ the run ended: succeeded, exit code 0');

    // Afterwards the same, from any point, also by programs.
    // A tool that had not ended when it was shown takes two lines then, and one now.
    const withoutTools = (text: string) => text.split('\n').filter((line) => !/[▸✓] run /.test(line));
    expect(withoutTools((await house.ok(['task', 'log', id, '--events'])).out)).toEqual(withoutTools(out));
    const whole = (await house.ok(['task', 'log', id, '--events', '--json'])).json<Events>();
    expect(whole).toMatchObject({ ended: true });
    expect(whole.items.at(-1)).toMatchObject({ type: 'outcome', outcome: 'succeeded' });
    const middle = whole.items[2]?.at ?? 0;
    const rest = (await house.ok(['run', 'events', whole.runId, '--after', String(middle), '--json'])).json<Events>();
    expect(rest.items).toEqual(whole.items.filter(({ at }) => at > middle));
    const last = (await house.ok(['run', 'log', whole.runId, '--events', '--tail', '2', '--json'])).json<Events>();
    expect(last.items).toEqual(whole.items.slice(-2));
    // Who asked for lines by a pipe gets lines.
    expect((await house.ok(['task', 'log', id])).out).toContain('{"type":"said","text":"It is well"}');
  });

  it('has beside it how the run was started and how it ended, without a secret', async () => {
    const id = await house.create('say hello\nexit 3', '--integration', 'none', '--max-attempts', '1');
    await house.rest(id);
    const [run] = (await house.runs(id)).filter(({ kind }) => kind === 'agent');
    const { facts } = (await house.ok(['run', 'show', run?.id ?? '', '--json'])).json<{
      facts: {
        prompt: { text: string; bytes: number; file: string };
        launch: { command: string; args: string[]; env: string[] };
        exit: { code: number };
      };
    }>();
    expect(facts.prompt.text).toContain('say hello');
    expect(facts.launch.args.join(' ')).toContain('prompt.txt');
    expect(facts.launch.env).toContain('FLEET_TASK_ID');
    expect(JSON.stringify(facts.launch.env)).not.toContain(house.directory);
    expect(facts.exit).toEqual({ code: 3 });
    const page = (await house.ok(['run', 'show', run?.id ?? ''])).out;
    for (const text of ['Prompt', 'say hello', facts.prompt.file, 'Command', 'Variables', 'FLEET_TASK_ID', 'Exit', 'code 3'])
      expect(page).toContain(text);
  });
});
