import { describe, expect, it } from 'vitest';
import { contract, type OperationName } from '../../../contract/index.ts';
import type { Phase, PhaseState } from '../../../domain/task/task.ts';
import { run } from '../fake-io.ts';
import { widthOf } from '../terminal/width.ts';
import { inDirectory, NOW_MS, SAMPLES, sampleTask, taskId } from './samples.ts';
import { JSON_IS_THE_VIEW, VIEWS, view } from './views.ts';

const at = (columns: number, colour = false) => ({ columns, colour, now: () => NOW_MS, env: { HOME: '/home/you' }, input: {} });
const names = contract.map(({ name }) => name);
const seen = names.filter((name) => !(JSON_IS_THE_VIEW as readonly string[]).includes(name));

/** Every string of an answer, replaced by a hostile one; ids keep their end. */
function poisoned(value: unknown): unknown {
  if (typeof value === 'string')
    return /^(\w+_)?[0-9a-z]{26}$|^\d{4}-|^[a-z_-]+$/.test(value) ? value : `${value}\u001b]52;c;eA==\u0007\r\u202e\u009b2Jtail`;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, poisoned(inside)]));
  return value;
}

describe('every operation', () => {
  it('has a view, or is said to be read as JSON', () => {
    expect(Object.keys(VIEWS).toSorted()).toEqual(seen.toSorted());
  });

  it.each(contract.map((operation) => [operation.name, operation.output] as const))(
    '%s has a sample that is true to the contract',
    (name, output) => {
      expect(output.safeParse(SAMPLES[name]).error).toBeUndefined();
    },
  );

  it.each(seen)('%s keeps to the width of the terminal', (name: OperationName) => {
    for (const width of [80, 100, 140]) {
      const lines = view(name, SAMPLES[name], at(width)).split('\n');
      for (const line of lines) expect(`${widthOf(line) <= width} ${line}`).toBe(`true ${line}`);
    }
  });

  it.each(seen)('%s lets nothing through that a terminal obeys [T16]', (name: OperationName) => {
    const text = view(name, poisoned(SAMPLES[name]), at(Infinity));
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('has colour only where it is wanted', () => {
    expect(view('task.list', SAMPLES['task.list'], at(100))).not.toContain('\u001b');
    expect(view('task.list', SAMPLES['task.list'], at(100, true))).toContain('\u001b[');
  });
});

describe('views for people', () => {
  const since = new Date(NOW_MS - 60_000).toISOString();
  const holder = { kind: 'claim', claimId: `claim_${'0'.repeat(26)}`, agent: 'ada' } as unknown as Extract<
    Phase,
    { state: 'running' }
  >['holder'];
  const phases: Record<PhaseState, Phase> = {
    draft: { state: 'draft', since },
    waiting: { state: 'waiting', since, on: [taskId('7k2m9xqa')], until: new Date(NOW_MS + 7_200_000).toISOString() },
    queued: { state: 'queued', since },
    running: { state: 'running', since, holder },
    verifying: { state: 'verifying', since, holder },
    merging: { state: 'merging', since, holder },
    done: { state: 'done', at: since },
    blocked: { state: 'blocked', since, block: { cause: 'agent', who: 'you', what: 'sign in' } },
    failed: { state: 'failed', at: since, reason: 'refused' },
    canceled: { state: 'canceled', at: since },
  };

  it.each(Object.values(phases))('show a task that is $state and what can be done next', (phase) => {
    expect(view('task.show', sampleTask('9c2m9xqc', 'A title', phase), at(100))).toMatchSnapshot();
  });

  it('say that work in a directory has no branch and no merge', () => {
    const task = inDirectory(sampleTask('9c2m9xqc', 'A title', phases.queued), '/home/you/notes');
    for (const name of ['task.show', 'task.create'] as const)
      expect(view(name, task, at(100))).toContain('~/notes, in place: no branch, no merge');
  });

  it.each([
    'fleet.status',
    'task.list',
    'task.ready',
    'question.list',
    'project.list',
    'config.show',
    'task.create',
    'executor.list',
    'executor.show',
    'run.events',
    'run.facts',
  ] as const)('show %s calmly', (name) => {
    expect(view(name, SAMPLES[name], at(100))).toMatchSnapshot();
  });

  it('tell the history in one line for each event, with what was said below it', () => {
    const lines = view('task.events', SAMPLES['task.events'], at(100))
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^( *\d+) +(?:[\d-]+ +)?\d\d:\d\d:\d\d/, '$1 T').trim());
    expect(lines).toEqual([
      '1 T  created → queued by you',
      '2 T  claimed queued → running by engine',
      '3 T  commented by ada',
      'the flaky test is known, leave it',
    ]);
  });

  it('cut nothing when they are piped', async () => {
    const { out } = await run(['task', 'list']);
    expect(out).toContain('so that the table has to cut it somewhere');
  });

  it.each([
    [['task', 'list'], 'No tasks yet. Queue the first with: fleet task create'],
    [['task', 'list', '--state', 'done'], 'No task matches'],
    [['project', 'list'], 'fleet project add DIR'],
    [['question', 'list'], 'Nobody waits for an answer'],
    [['ready'], 'Nothing is ready'],
    [['tasks'], 'Nobody works on a task right now'],
  ])('of nothing say what to do next: %j', async (argv, text) => {
    expect((await run(argv, { answer: () => ({ items: [] }) })).out).toContain(text);
  });

  it('show what is not known yet of running tasks as a dash', async () => {
    const [task] = SAMPLES['task.list'].items;
    const holder = { kind: 'claim', claimId: `claim_${'0'.repeat(26)}`, agent: 'ada' };
    const claimed = { ...task, phase: { state: 'running', since: new Date(NOW_MS - 190_000).toISOString(), holder } };
    const { out } = await run(['tasks'], { answer: () => ({ items: [claimed] }) });
    expect(out.split('\n')[0]?.split(/\s+/)).toEqual([
      'ID',
      'STARTED',
      'ELAPSED',
      'IDLE',
      'HEALTH',
      'CONTEXT',
      'EVENTS',
      'EXECUTOR',
      'MODEL',
      'TITLE',
      'DIRECTORY',
    ]);
    expect(out).toMatch(/7k2m9xqa .* 3m 10s +– +– +– +– +claude \+1 +opus +Fix the login test +site/);
  });
});
