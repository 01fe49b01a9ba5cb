import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { survivors } from '../../src/runner/process-table.ts';
import { fullOnly } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

interface Facts {
  readonly ok: boolean;
  readonly home: string;
  readonly repository: string;
  readonly landed: { readonly commit: string; readonly on: string };
  readonly tasks: readonly { readonly name: string; readonly id: string; readonly state: string; readonly repairs: number }[];
  readonly evidence: readonly {
    readonly task: string;
    readonly commit: string;
    readonly green: boolean;
    readonly exit: number;
  }[];
  readonly report: { readonly status: string; readonly files: readonly { readonly path: string }[] };
  readonly next: readonly string[];
}

/** Where the demo may leave what it makes; it goes with the house. */
async function demoHouse() {
  const house = await cliHouse();
  const place = join(house.directory, 'a place');
  await mkdir(place);
  return { house, place, env: { TMPDIR: place }, [Symbol.asyncDispose]: () => house[Symbol.asyncDispose]() };
}

/** Nothing of the fleet in this home runs any more: no engine, no agent, no gate. */
async function expectSilence(house: CliHouse, home: string): Promise<void> {
  const mark = (await readFile(join(home, 'mark'), 'utf8').catch(() => '')).trim();
  if (mark !== '') expect(await survivors(mark)).toEqual([]);
  expect((await house.fleet(['up', '--status', '--home', home])).code).toBe(3);
}

describe('fleet demo', () => {
  it('ends with a commit on main that the gate has agreed to, after one claim was refuted', async () => {
    await using stage = await demoHouse();
    const { house, env } = stage;
    const facts = (await house.ok(['demo', '--json'], { env })).json<Facts>();
    expect(facts.tasks.map(({ name, state, repairs }) => [name, state, repairs])).toEqual([
      ['implement', 'done', 1],
      ['review', 'done', 0],
      ['refine', 'done', 0],
    ]);
    expect(facts.evidence.map(({ task, green, exit }) => [task, green, exit])).toEqual([
      ['implement', false, 1],
      ['implement', true, 0],
      ['refine', true, 0],
      ['refine', true, 0],
    ]);
    expect(facts.evidence.at(-1)?.commit).toBe(facts.landed.commit);
    expect(facts.report).toMatchObject({ status: 'succeeded' });

    const git = async (...args: string[]) => (await house.git(facts.repository, ...args)).out.trim();
    expect(await git('rev-parse', 'main')).toBe(facts.landed.commit);
    expect(await git('status', '--porcelain')).toBe('');
    expect((await git('log', '--no-merges', '--format=%s', 'main')).split('\n').toSorted()).toEqual([
      'begin tempo',
      'count each hour once',
      'format durations',
      'format zero as 0s',
      'say what tempo is',
    ]);
    await expectSilence(house, facts.home);
    // Nothing but the demo's own directory has been made.
    expect(await readdir(stage.place)).toHaveLength(1);
    expect(await readdir(house.env['HOME'] ?? '')).toEqual([]);
  });

  fullOnly('tells how it goes line by line where nobody looks, and what to type next, which works as it stands', async () => {
    await using stage = await demoHouse();
    const { house, env } = stage;
    const { out } = await house.ok(['demo'], { env });
    const told = [
      'it says that it is done',
      'the gate says no: formats hours',
      'the same agent is told',
      'the gate agrees',
      'landed on main',
    ];
    const places = told.map((text) => out.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(out).not.toContain('\u001b');
    expect(out).toMatch(/●─╮ .* ← main, proved by the gate/);

    const next = out.split('\n').flatMap((line) => /^ {4}(fleet .*)$/.exec(line)?.[1] ?? []);
    expect(next).toHaveLength(3);
    const repository = await house.repository();
    const answers = await Promise.all(next.map((command) => typed(command, house, repository)));
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(answers[0]?.out).toMatch(/✗ node test.js[\s\S]*✓ node test.js|✓ node test.js[\s\S]*✗ node test.js/);
    expect(answers[1]?.out).toMatch(/scripted .*export function format\(ms\)/);
    expect(answers[2]?.out).toContain('added repo');
  });

  it('leaves nothing running when it is interrupted', async () => {
    await using stage = await demoHouse();
    const { house, env, place } = stage;
    const child = house.start(['demo'], env);
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('an agent begins')) child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(130);
    const [directory = ''] = await readdir(place);
    await expectSilence(house, join(place, directory));
  });
});

/** As a person would type it, with `fleet` on the path. */
function typed(command: string, house: CliHouse, cwd: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const program = join(import.meta.dirname, '..', '..', 'dist', 'fleet.mjs');
  const script = `fleet() { '${process.execPath}' '${program}' "$@"; }\n${command}`;
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', script], { cwd, env: house.env, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out }));
  });
}
