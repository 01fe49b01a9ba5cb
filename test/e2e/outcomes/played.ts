import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { root } from '../../../tools/paths.mjs';
import type { TaskJson, WorkHouse } from '../../support/work-house.ts';
import { type Act, type Cell, QUESTION, REASON } from './table.ts';

export const SETTINGS = ['grace_seconds=2', 'max_attempts=1', 'max_repairs=0', 'max_concurrent=6'];
const AGENT = join(root, 'test', 'fixtures', 'outcome-agent.mjs');
const WAIT = { timeout: 120_000, interval: 250 };

/** The agents described by files: one that prints words, and one that speaks the Agent Client Protocol. */
export async function describeAgents({ home }: WorkHouse): Promise<void> {
  const command = (...args: string[]) => `command = ${JSON.stringify([process.execPath, AGENT, ...args])}\n`;
  await mkdir(join(home, 'executors'), { recursive: true });
  await writeFile(join(home, 'executors', 'custom.toml'), `${command('text', '{prompt_file}')}output = "text"\n`);
  await writeFile(join(home, 'executors', 'speaker.toml'), `${command('acp')}protocol = "acp"\n`);
}

export const stepsOf = ({ first, resumed }: Cell): string => `STEPS ${JSON.stringify({ first, resumed })}`;

/** Its own last words are a report by themselves. */
export function scenarioOf({ first, resumed }: Cell): string {
  const line = (when: string) => (act: Act) => {
    if ('sh' in act) return `${when}: sh ${act.sh}`;
    if ('exit' in act) return `${when}: exit ${act.exit}`;
    if ('mcp' in act) throw new Error('it has no MCP client');
    return act.say.startsWith('{') ? `${when}: report ${act.say.replace('"succeeded"', '"done"')}` : `${when}: say ${act.say}`;
  };
  return [...first.map(line('untold')), ...resumed.map(line('told'))].join('\n');
}

interface Asked {
  readonly id: string;
  readonly text: string;
}

/** Follows a task to its end, answers what it asks, and expects what its cell says. `directory`: it worked there in place. */
export async function follow(house: WorkHouse, id: string, { first, fate }: Cell, directory?: string): Promise<void> {
  const isWaiting = fate === 'done' && JSON.stringify(first).includes(QUESTION);
  if (isWaiting) await answer(house, await question(house, id));
  const task = await house.rest(id);
  const { state, block, reason = '' } = task.phase as TaskJson['phase'] & { block?: { questionId?: string } };
  switch (fate) {
    case 'done':
      expect({ state, block, reason }).toMatchObject({ state: 'done' });
      expect(await landed(house, id, 'whole', directory)).toBe(true);
      expect((await agentRuns(house, id)).length).toBe(1);
      return;
    case 'blocked: reason':
      expect({ state, block }).toMatchObject({
        state: 'blocked',
        block: { cause: 'agent', what: expect.stringContaining(REASON) },
      });
      return expectKept(house, task, directory);
    case 'failed: reason':
      expect({ state, reason }).toMatchObject({ state: 'failed', reason: expect.stringContaining(REASON) });
      return expectKept(house, task, directory);
    case 'failed':
      expect({ state, block, reason }).toMatchObject({ state: 'failed' });
      return expectKept(house, task, directory);
    case 'blocked: nothing changed':
      expect({ state, block }).toMatchObject({
        state: 'blocked',
        block: { cause: 'proof', what: expect.stringContaining('nothing has changed') },
      });
      return;
    case 'blocked: question':
      expect({ state, block }).toMatchObject({ state: 'blocked', block: { cause: 'question', what: `it asks: ${QUESTION}` } });
      await expectKept(house, task, directory);
      await answer(house, block?.questionId ?? '');
      await house.sees(id, ({ phase }) => phase.state === 'done');
      expect(await landed(house, id, 'whole', directory)).toBe(true);
      expect((await agentRuns(house, id)).map(({ phase }) => phase.outcome)).toEqual(['blocked', 'succeeded']);
  }
}

const agentRuns = async (house: WorkHouse, id: string) => (await house.runs(id)).filter(({ kind }) => kind === 'agent');

const answer = (house: WorkHouse, questionId: string) => house.ok(['question', 'answer', questionId, 'blue']);

const question = (house: WorkHouse, task: string): Promise<string> =>
  vi.waitFor(async () => {
    const { items } = (await house.ok(['question', 'list', '--task', task, '--json'])).json<{ items: Asked[] }>();
    if (!items[0]) throw new Error(`task ${task} has not asked yet`);
    return items[0].id;
  }, WAIT);

async function landed(house: WorkHouse, id: string, what: 'whole' | 'half', directory?: string): Promise<boolean> {
  const files = directory ? (await readdir(directory)).join('\n') : await house.says('ls-tree', '--name-only', 'main');
  return (await agentRuns(house, id)).some((run) => files.includes(`${what}-${run.id}.txt`));
}

/** Nothing of it is on main, and all of it is kept; in a directory of the user's it lies where it was made. */
async function expectKept(house: WorkHouse, task: TaskJson, directory?: string): Promise<void> {
  if (directory) return expect(await landed(house, task.id, 'half', directory)).toBe(true);
  expect(await landed(house, task.id, 'half')).toBe(false);
  expect(await house.says('ls-tree', '--name-only', task.work?.kept?.ref ?? 'none')).toContain('half-');
}
