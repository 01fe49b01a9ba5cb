import { describe, expect, it } from 'vitest';
import type { TaskView } from '../../../contract/shapes.ts';
import { Fault } from '../../../domain/fault.ts';
import type { Phase } from '../../../domain/task/task.ts';
import { type CliRun, run } from '../fake-io.ts';
import { NOW_MS, sampleTask } from '../views/samples.ts';

const since = new Date(NOW_MS).toISOString();
const queued: Phase = { state: 'queued', since };
const done: Phase = { state: 'done', at: since };
const failed: Phase = { state: 'failed', at: since, reason: 'crashed after 3 of 3 attempts' };
const asked: Phase = { state: 'blocked', since, block: { cause: 'agent', who: 'you', what: 'sign in' } };

const ENDS = ['7k2m9xqa', '8a2m9xqb'];
const moment = (...phases: Phase[]) => held(undefined, ...phases);
/** Nothing can move: what is queued waits for the same. */
const held = (why: string | undefined, ...phases: Phase[]) => {
  const items = phases.map(
    (phase, index): TaskView => ({
      ...sampleTask(ENDS[index] ?? '', `Task ${index}`, phase),
      ...(why !== undefined && phase.state === 'queued' ? { heldUp: why } : {}),
    }),
  );
  const over = ['done', 'failed', 'canceled', 'blocked'];
  const stuck = items.filter(({ phase, heldUp }) => phase.state === 'draft' || heldUp !== undefined).length;
  return { items, pending: items.filter(({ phase }) => !over.includes(phase.state)).length, stuck };
};

/** Answers with these moments in turn, then with the last of them for ever. */
async function wait(
  moments: unknown[],
  argv: string[] = [],
  more: Parameters<typeof run>[1] = {},
): Promise<CliRun & { started: number }> {
  let at = 0;
  let started = 0;
  const ran = await run(['task', 'wait', ...ENDS, ...argv], {
    ensureEngine: async () => {
      started += 1;
      return 'started the engine in the background: process 7';
    },
    answer: () => {
      const value = moments[Math.min(at++, moments.length - 1)];
      if (value instanceof Error) throw value;
      return value;
    },
    ...more,
  });
  return { ...ran, started };
}

describe('fleet task wait', () => {
  it('starts the engine, asks until all are done, and exits 0', async () => {
    const ran = await wait([moment(queued, queued), moment(done, queued), moment(done, done)]);
    expect(ran).toMatchObject({ code: 0, started: 1, err: 'started the engine in the background: process 7\n' });
    expect(ran.calls.map(({ input }) => input)).toEqual(Array.from({ length: 3 }, () => ({ ids: ENDS })));
    expect(ran.out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['✓', '7k2m9xqa', 'Task 0', 'done'],
      ['✓', '8a2m9xqb', 'Task 1', 'done'],
      [''],
    ]);
  });

  it('needs no engine when there is nothing to wait for', async () => {
    expect(await wait([moment(done, done)])).toMatchObject({ code: 0, started: 0, err: '' });
  });

  it('exits 4 when one ended otherwise, and says why and what to do', async () => {
    const { code, err } = await wait([moment(failed, asked)]);
    expect(code).toBe(4);
    expect(err).toContain('7k2m9xqa is failed: crashed after 3 of 3 attempts\n       fleet task log 7k2m9xqa ');
    expect(err).toContain('8a2m9xqb is blocked: you: sign in\n       fleet task resume 8a2m9xqb');
  });

  it('does not wait for a draft that nobody hands over', async () => {
    const { code, err } = await wait([moment(done, { state: 'draft', since })]);
    expect(code).toBe(4);
    expect(err).toContain('fleet task dispatch 8a2m9xqb');
  });

  it('ends with 4 and the reason when nothing can move, having looked for a while, and starts no engine for it', async () => {
    const why = 'no executor claude can be started on this machine: its program claude was not found';
    const { code, err, started, calls } = await wait([held(why, queued, queued)]);
    expect({ code, started }).toEqual({ code: 4, started: 0 });
    expect(err).toContain(`7k2m9xqa is queued: ${why}`);
    expect(calls.length).toBeGreaterThan(1);
    expect(await wait([held(why, queued, queued), moment(queued, queued), moment(done, done)])).toMatchObject({ code: 0 });
    const json = await wait([held(why, done, queued)], ['--json']);
    expect(JSON.parse(json.out)).toMatchObject({ pending: 1, stuck: 1, items: [{}, { heldUp: why }] });
  });

  it('gives up after its time with exit code 6, and says that the work goes on', async () => {
    const { code, err, calls } = await wait([moment(done, queued)], ['--timeout', '30']);
    expect(code).toBe(6);
    expect(err).toContain('1 of 2 tasks have not come to an end after 30 s');
    expect(calls.length).toBeLessThan(60);
    expect(await wait([moment(done, queued)], ['--timeout', '0'])).toMatchObject({ code: 6 });
  });

  it('prints the last answer as one value with --json, and nothing on standard error', async () => {
    const last = moment(done, failed);
    const { code, out, err } = await wait([moment(queued, queued), last], ['--json']);
    expect({ code, err }).toEqual({ code: 4, err: '' });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(last)));
  });

  it('outlasts a store that is away for a moment, and reports one that stays away', async () => {
    const away = new Fault('unavailable', 'the database is locked');
    expect(await wait([moment(queued, queued), away, away, moment(done, done)])).toMatchObject({ code: 0 });
    expect(await wait([moment(queued, queued), away])).toMatchObject({ code: 7 });
    expect(await wait([away])).toMatchObject({ code: 7, calls: { length: 1 } });
  });

  it('draws its lines over each other where a person looks', async () => {
    const { out, code } = await wait([moment(queued, queued), moment(done, queued), moment(done, done)], [], {
      ensureEngine: async () => undefined,
      io: { isTty: true, columns: 80, rows: 24 },
    });
    expect(code).toBe(0);
    const frames = out.split('\u001b[J').filter((frame) => frame !== '');
    expect(frames).toHaveLength(3);
    expect(frames.slice(1).every((frame) => frame.startsWith('\u001b[2A\r'))).toBe(true);
    expect(frames[2]).toContain('✓  8a2m9xqb');
  });
});
