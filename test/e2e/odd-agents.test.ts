import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { inFullRun } from '../full-only.ts';

const fixture = (name: string) => join(root, 'test/fixtures/odd', name);

/** A shop whose agents are odd, driven by an executor that is a module. */
async function oddHouse(): Promise<FaultHouse> {
  const house = await faultHouse(['max_output_mb=1', 'max_repairs=1', 'max_attempts=2', 'integration=review']);
  const bin = join(house.directory, 'bin');
  await mkdir(bin);
  await copyFile(fixture('odd-agent.mjs'), join(bin, 'odd-agent'));
  await chmod(join(bin, 'odd-agent'), 0o755);
  house.env['PATH'] = `${bin}:${house.env['PATH']}`;
  const executors = join(house.home, 'executors');
  await copyFile(fixture('odd.mjs.txt'), join(executors, 'odd.mjs'));
  for (const path of [executors, join(executors, 'odd.mjs')]) await chmod(path, 0o700);
  await writeFile(join(executors, 'away.toml'), 'command = ["no-such-agent", "{prompt_file}"]\n');
  await house.ok(['project', 'add', await house.repository(), '--name', 'shop']);
  return house;
}

interface Expected {
  /** Of its runs, oldest first. */
  readonly outcomes: readonly string[];
  readonly state: string;
  /** What the page of its newest run says was seen. */
  readonly seen: string;
  /** What the page of its task says can be done. */
  readonly advice: string;
}

const crashes = { outcomes: ['crashed', 'crashed'], state: 'failed', advice: 'fleet task log' };

/** What an agent does, and what people read of it. */
const TABLE: Readonly<Record<string, Expected>> = {
  'wrong version': { ...crashes, seen: "it ended with exit code 2: error: unknown option '--stream'" },
  'not signed in': {
    outcomes: ['auth_required'],
    state: 'blocked',
    seen: 'not signed in: run odd-agent login',
    advice: 'fleet task resume',
  },
  'unknown model': { outcomes: ['refused'], state: 'failed', seen: 'model "wonder" does not exist', advice: 'fleet task retry' },
  killed: { ...crashes, seen: 'it was ended by SIGKILL' },
  garbage: {
    outcomes: ['crashed', 'blocked'],
    state: 'blocked',
    seen: 'lines its executor does not know',
    advice: 'fleet task log',
  },
  floods: { outcomes: ['output_limit'], state: 'failed', seen: 'max_output_mb allows 1048576', advice: 'fleet task log' },
  'no report': {
    outcomes: ['crashed', 'blocked'],
    state: 'blocked',
    seen: 'it ended without a report; last words: I looked around',
    advice: 'fleet task resume',
  },
  'no changes': {
    outcomes: ['succeeded', 'succeeded'],
    state: 'blocked',
    seen: 'everything is done',
    advice: 'it reported success, but nothing has changed',
  },
  'dies after committing': { ...crashes, seen: 'it was ended by SIGSEGV', advice: 'fleet task diff' },
  grandchildren: { outcomes: ['succeeded'], state: 'blocked', seen: 'with children', advice: 'fleet task approve' },
  'breaks its executor': {
    ...crashes,
    seen: 'executor odd failed in step: Error: I did not expect that; see fleet executor test odd',
  },
  'hangs its executor': { ...crashes, seen: 'step gave no answer within 1 s; see fleet executor test odd' },
  unlaunchable: {
    outcomes: ['refused'],
    state: 'failed',
    seen: 'executor odd failed in launch: Error: no such launch',
    advice: 'fleet task retry',
  },
  good: { outcomes: ['succeeded'], state: 'blocked', seen: 'it is done', advice: 'fleet task approve' },
};

/** Each of the others takes two attempts, or a flood. */
const QUICK = ['not signed in', 'unknown model', 'good'];
const rows = Object.entries(TABLE).filter(([title]) => inFullRun || QUICK.includes(title));

const unwrapped = (page: string): string => page.replaceAll(/\s+/g, ' ');

it('whatever an agent or its executor does: a distinct outcome, words that name it, advice, and nothing lost or left', async () => {
  await using house = await oddHouse();
  await house.up();
  const create = async (title: string, executor = 'odd') => {
    const model = title === 'unlaunchable' ? title : 'wonder';
    const prompt = `Do this:\n\n    ${title}\n`;
    const words = [
      'task',
      'create',
      '--project',
      'shop',
      '--executor',
      executor,
      '--model',
      model,
      '--title',
      title,
      '--prompt',
      prompt,
    ];
    return (await house.ok([...words, '--json'])).json<{ id: string }>().id;
  };
  const away = await create('away', 'away');
  const stubborn = await create('ignores SIGTERM');
  const ids = new Map<string, string>();
  for (const [title] of rows) ids.set(title, await create(title));

  await vi.waitFor(async () => expect(await house.said(stubborn)).toContain('try to stop me'), 60_000);
  await house.ok(['task', 'cancel', stubborn]);
  await house.settled([...ids.values(), stubborn], 120_000);
  expect(await house.outcomes(stubborn)).toEqual(['canceled']);

  for (const [title, { outcomes, state, seen, advice }] of rows) {
    const id = ids.get(title) ?? '';
    const runs = await house.runs(id);
    const task = await house.task(id);
    expect({ title, outcomes: await house.outcomes(id), state: task.phase.state }).toEqual({ title, outcomes, state });
    const page = unwrapped((await house.ok(['run', 'show', runs.at(-1)?.id ?? ''])).out);
    expect(page, title).toContain(seen);
    expect(unwrapped((await house.ok(['task', 'show', id])).out), title).toContain(advice);
  }
  // What was committed before the crash is there, and can be brought back.
  const kept = ids.get('dies after committing');
  if (kept !== undefined) expect((await house.ok(['task', 'diff', kept])).out).toContain('precious.txt');
  const status = unwrapped((await house.ok(['status'])).out);
  expect(status).toContain('no executor away can be started on this machine: its program no-such-agent was not found');
  expect((await house.task(away)).phase.state).toBe('queued');
  expect(unwrapped((await house.ok(['executor', 'show', 'away'])).out)).toContain('its program no-such-agent was not found');
  expect(house.marked(), 'processes that were left').toEqual([]);

  // It is installed at last, and what waited goes on by itself.
  await writeFile(join(house.directory, 'bin', 'no-such-agent'), '#!/bin/sh\necho here\n', { mode: 0o755 });
  await house.settled([away], 60_000);
  expect((await house.outcomes(away))[0]).toBe('succeeded');
});
