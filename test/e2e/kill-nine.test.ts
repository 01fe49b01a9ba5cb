import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { inFullRun } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

const AGENTS = 50;
const KILLS = inFullRun ? 60 : 8;
const LINES = 12;
/** Two-way agents that ask, and wait while engines come and go. */
const ASKING = 6;

interface RunJson {
  readonly taskId: string;
  readonly phase: { readonly state: string; readonly exit?: number; readonly outcome?: string };
}

/** An agent that leaves one mark when it runs at all, says numbered lines, and ends with a code of its own. */
const script = (n: number, ledger: string) =>
  [
    `echo ${n} >> '${ledger}'`,
    `i=0; while [ $i -lt ${LINES} ]; do echo "agent ${n} line $i"; i=$((i+1)); sleep 0.${1 + (n % 5)}; done`,
    `exit ${n % 3}`,
  ].join('\n');

const killed = (engine: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (engine.exitCode !== null || engine.signalCode !== null) return resolve();
    engine.once('exit', () => resolve());
    engine.kill('SIGKILL');
  });

/** It holds its lease and begins to act. */
const started = (engine: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let said = '';
    engine.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('engine.started')) resolve();
    });
    engine.once('exit', (code) => reject(new Error(`the engine ended with ${code}: ${said}`)));
  });

async function answerSome(house: CliHouse): Promise<void> {
  const { items } = (await house.ok(['question', 'list', '--json'])).json<{ items: { id: string }[] }>();
  for (const { id } of items) await house.ok(['question', 'answer', id, 'yes']);
}

const allRuns = async (house: CliHouse): Promise<readonly RunJson[]> =>
  (await house.ok(['run', 'list', '--limit', '500', '--json'])).json<{ items: RunJson[] }>().items;

describe(`an engine that is killed ${KILLS} times while ${AGENTS} agents run`, () => {
  it('runs none twice, forgets none, loses no line, no exit code and no request of an agent [RUN-01] [R1]', async () => {
    await using house = await cliHouse();
    const ledger = join(house.directory, 'ledger');
    await mkdir(join(house.home, 'executors'), { recursive: true });
    await writeFile(join(house.home, 'executors', 'shell.toml'), 'command = ["/bin/sh", "{prompt_file}"]\noutput = "text"\n');
    await house.ok(['config', 'set', 'executor=shell', `max_concurrent=${AGENTS + ASKING}`, 'max_attempts=1']);
    const lines = [];
    for (let n = 0; n < AGENTS; n += 1) {
      const directory = join(house.directory, `place ${n}`);
      await mkdir(directory);
      lines.push({
        type: 'task',
        task: {
          id: `a-${n}`,
          title: `agent ${n}`,
          prompt: script(n, ledger),
          priority: 5,
          tags: [],
          directory,
          phase: { state: 'queued' },
          dependsOn: [],
          createdAt: new Date(Date.now() + n).toISOString(),
        },
      });
    }
    const file = join(house.directory, 'tasks.jsonl');
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    await house.ok(['task', 'import', file, '--dispatch']);

    const asking = await Promise.all(
      Array.from({ length: ASKING }, async (_, n) => {
        const directory = join(house.directory, `asking ${n}`);
        await mkdir(directory);
        const scenario = `twoway\nmark ledger\nask Number ${n}? | yes | no\nask Really ${n}? | yes | no\ndone answered`;
        const prompt = `\`\`\`scenario\n${scenario}\n\`\`\``;
        const created = await house.ok([
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
        return { id: created.json<{ id: string }>().id, directory };
      }),
    );

    for (let kill = 0; kill < KILLS; kill += 1) {
      const engine = house.start(['up']);
      await started(engine);
      // Half of them die before they have settled in; the moments themselves are what is tried out here.
      await passed(Math.random() * (kill % 2 === 0 ? 150 : 700));
      await killed(engine);
      if (kill % 4 === 3) await answerSome(house);
    }
    house.start(['up']);
    await vi.waitFor(
      async () => {
        await answerSome(house);
        const runs = await allRuns(house);
        expect(runs.filter(({ phase }) => phase.state === 'ended')).toHaveLength(AGENTS + ASKING);
      },
      { timeout: 90_000, interval: 500 },
    );

    const ran = (await readFile(ledger, 'utf8')).trim().split('\n').map(Number);
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: AGENTS }, (_, n) => n));
    const titles = new Map(
      (await house.ok(['task', 'list', '--limit', '500', '--json']))
        .json<{ items: { id: string; title: string }[] }>()
        .items.map(({ id, title }) => [id, Number(title.split(' ')[1])]),
    );
    for (const { id, directory } of asking) {
      expect((await readFile(join(directory, 'ledger'), 'utf8')).trim().split('\n')).toHaveLength(1);
      const said = (await house.ok(['task', 'log', id])).out;
      expect(said.match(/answer: yes/g)).toHaveLength(2);
      expect(said).not.toMatch(/unexpected answer|started twice/);
    }
    const asked = new Set(asking.map(({ id }) => id));
    for (const { taskId, phase } of (await allRuns(house)).filter((run) => !asked.has(run.taskId))) {
      const n = titles.get(taskId) ?? -1;
      expect({ n, exit: phase.exit, outcome: phase.outcome }).toEqual({
        n,
        exit: n % 3,
        outcome: n % 3 === 0 ? 'succeeded' : 'crashed',
      });
      const said = (await house.ok(['task', 'log', taskId])).out.trim().split('\n');
      expect(said).toEqual(Array.from({ length: LINES }, (_, i) => `agent ${n} line ${i}`));
    }
  });
});
