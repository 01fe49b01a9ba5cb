import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { faultHouse } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';

/** The run directory, as any agent can find it. */
const HERE = 'd=$(dirname "$0")\n';
const QUIET = Array.from({ length: 4 }, (_, n) => ({ title: `quiet${n}`, script: 'sleep 1.5\necho calm\nexit 0' }));

describe('an agent that meddles with its own run directory', () => {
  const tricks: Readonly<Record<string, { readonly script: string; readonly outcomes: readonly string[] }>> = {
    'claims to have ended well': {
      script: 'printf "0 - \\n" > "$d/exit"; sleep 600',
      outcomes: ['succeeded', 'crashed', 'lost', 'stalled'],
    },
    'writes rubbish as its exit': {
      script: 'head -c 9000 /dev/urandom > "$d/exit"; sleep 1; exit 4',
      outcomes: ['crashed', 'lost'],
    },
    'makes its exit a directory': { script: 'mkdir "$d/exit"; sleep 1; exit 4', outcomes: ['crashed', 'lost', 'stalled'] },
    'makes its exit a pipe': { script: 'mkfifo "$d/exit"; sleep 1; exit 4', outcomes: ['crashed', 'lost', 'stalled'] },
    'forgets who it is': { script: 'rm "$d/id"; echo x > "$d/claim"; sleep 1; exit 4', outcomes: ['crashed', 'lost'] },
    'says it is process 1': {
      script: 'read -r a b c e f g < "$d/id"; echo "1 1 1 1 1 $g" > "$d/id"; sleep 1; exit 4',
      outcomes: ['crashed', 'lost'],
    },
    'makes its output a directory': {
      script: 'rm "$d/out"; mkdir "$d/out"; sleep 1; exit 4',
      outcomes: ['crashed', 'lost', 'stalled'],
    },
    'makes its output a pipe': {
      script: 'rm "$d/out"; mkfifo "$d/out"; sleep 1; exit 4',
      outcomes: ['crashed', 'lost', 'stalled'],
    },
    'makes its output endless': {
      script: 'rm "$d/out"; ln -s /dev/zero "$d/out"; sleep 1; exit 4',
      outcomes: ['crashed', 'lost', 'stalled'],
    },
    'removes the whole directory': { script: 'rm -rf "$d"; sleep 1; exit 4', outcomes: ['crashed', 'lost', 'stalled'] },
  };
  it('is the only one affected, whatever it does there, and its end is told', async () => {
    await using house = await faultHouse(['stall_seconds=4']);
    const engine = await house.up();
    const meddlers = Object.entries(tricks).map(([title, { script }]) => ({ title, script: `echo begun\n${HERE}${script}` }));
    const ids = await house.queue([...meddlers, ...QUIET]);
    await house.settled(
      QUIET.map(({ title }) => ids.get(title) ?? ''),
      15_000,
    );
    await house.settled(ids.values(), 30_000);
    const runs = await house.runs();
    const outcomeOf = (title: string) => runs.find(({ taskId }) => taskId === ids.get(title))?.phase.outcome ?? 'none';
    expect(QUIET.map(({ title }) => outcomeOf(title))).toEqual(QUIET.map(() => 'succeeded'));
    const wrong = Object.entries(tricks).filter(([title, { outcomes }]) => !outcomes.includes(outcomeOf(title)));
    expect(wrong.map(([title]) => `${title}: ${outcomeOf(title)}`)).toEqual([]);
    await house.said(ids.get('makes its output a pipe') ?? '');
    expect(engine.process.exitCode).toBeNull();
    expect(engine.log().length).toBeLessThan(200_000);
    expect(house.marked()).toEqual([]);
  });

  it('can be canceled also when it has removed every trace of itself [RUN-13]', async () => {
    await using house = await faultHouse();
    await house.up();
    // Once, when it is told to: an engine that notices first tries the task again, and the cancel finds that attempt.
    const removing = (what: string) =>
      `echo begun\n${HERE}until [ -e go ]; do sleep 0.05; done; [ -e gone ] || { echo gone > gone; ${what}; }; sleep 600`;
    const ids = await house.queue([
      { title: 'nameless', script: removing('rm "$d/id"') },
      { title: 'homeless', script: removing('rm -rf "$d"') },
    ]);
    const places = [...ids.keys()].map((title) => join(house.directory, `place of ${title}`));
    await vi.waitFor(
      async () => expect((await house.runs()).map(({ phase }) => phase.state)).toEqual(['running', 'running']),
      20_000,
    );
    for (const place of places) await writeFile(join(place, 'go'), '');
    await vi.waitFor(() => {
      for (const place of places) expect(existsSync(join(place, 'gone'))).toBe(true);
    }, 20_000);
    for (const id of ids.values()) await house.ok(['task', 'cancel', id]);
    await house.settled(ids.values(), 20_000);
    expect((await house.tasks()).map(({ phase }) => phase.state)).toEqual(['canceled', 'canceled']);
    expect(house.marked()).toEqual([]);
  });

  fullOnly('with its input changed is ended, and the others finish', async () => {
    await using house = await faultHouse(['stall_seconds=4']);
    const engine = await house.up();
    await writeFile(
      join(house.home, 'executors', 'ears.toml'),
      'command = ["/bin/sh", "{prompt_file}"]\noutput = "text"\nmode = "twoway"\n',
    );
    const id = await house.create(`${HERE}echo nonsense > "$d/in"\necho begun\nsleep 600\nexit 0`, '--executor', 'ears');
    await vi.waitFor(async () => expect(await house.said(id)).toContain('begun'), 20_000);
    await house.ok(['task', 'send', id, 'hello']);
    const quiet = await house.queue(QUIET);
    await house.settled(quiet.values(), 15_000);
    expect((await house.tasks()).filter(({ title }) => title.startsWith('quiet')).map(({ phase }) => phase.state)).toEqual(
      QUIET.map(() => 'done'),
    );
    await house.settled([id], 20_000);
    expect(['lost', 'stalled', 'crashed']).toContain((await house.outcomes(id))[0]);
    expect(engine.process.exitCode).toBeNull();
  });

  fullOnly('or reports more than a row can hold: it ends, cut short, and nobody waits for it', async () => {
    await using house = await faultHouse();
    await writeFile(
      join(house.home, 'executors', 'events.toml'),
      [
        'command = ["/bin/sh", "{prompt_file}"]',
        'output = "jsonl"',
        '[[events]]\nwhen = { type = "reported" }\nthen = "reported"\nreport = "report"',
        '[[events]]\nwhen = { type = "ended" }\nthen = "ended"\nverdict = "succeeded"\nsummary = "text"',
        '[[events]]\nwhen = { type = "opened" }\nthen = "opened"\nsession = "text"',
        '',
      ].join('\n'),
    );
    const engine = await house.up();
    const script = [
      'big=$(head -c 200000 /dev/zero | tr "\\0" x)',
      `printf '{"type":"opened","text":"%s"}\\n' "$big"`,
      `printf '{"type":"reported","report":{"status":"done","summary":"%s"}}\\n' "$big"`,
      `printf '{"type":"ended","text":"%s"}\\n' "$big"`,
      'exit 0',
    ].join('\n');
    const id = await house.create(script, '--executor', 'events');
    const quiet = await house.queue(QUIET);
    await house.settled(quiet.values(), 15_000);
    await house.settled([id], 15_000);
    expect(await house.outcomes(id)).toEqual(['succeeded']);
    expect(engine.process.exitCode).toBeNull();
  });
});
