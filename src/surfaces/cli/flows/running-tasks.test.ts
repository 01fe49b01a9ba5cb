import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../contract/index.ts';
import { Fault } from '../../../domain/fault.ts';
import { run } from '../fake-io.ts';
import { SAMPLES } from '../views/samples.ts';

const [working] = SAMPLES['task.list'].items;
const { model: _, ...unnamed } = working as NonNullable<typeof working>;

const answers =
  (task: object, runs: readonly object[], shown?: object) =>
  (name: OperationName): unknown => {
    if (name === 'task.list') return { items: [task] };
    if (name === 'run.list') return { items: runs };
    if (shown) return shown;
    throw new Fault('not_found', 'no such run');
  };

const cells = (out: string) => out.split('\n')[1]?.split(/ {2,}/).slice(2);

describe('fleet tasks', () => {
  it('tells what the run of each task knows', async () => {
    const { out } = await run(['tasks'], { answer: answers(working ?? {}, [SAMPLES['run.show']]) });
    expect(cells(out)).toEqual([
      '3m 10s',
      '4s',
      'degraded',
      '43.9k/200k',
      '36',
      'claude',
      'opus',
      'Fix the login test',
      '~/code/site',
    ]);
  });

  it('asks for a run that is not among the newest, and does without one that is gone', async () => {
    expect(cells((await run(['tasks'], { answer: answers(unnamed, [], SAMPLES['run.show']) })).out)?.[4]).toBe('36');
    expect(cells((await run(['tasks'], { answer: answers(unnamed, []) })).out)?.slice(1, 5)).toEqual(['–', '–', '–', '–']);
  });

  it('marks the default model dim and one that was asked for bold', async () => {
    const look = { io: { colour: true } };
    const asked = await run(['tasks'], { ...look, answer: answers(working ?? {}, [SAMPLES['run.show']]) });
    expect(asked.out).toContain('\u001b[1mopus\u001b[22m');
    const left = await run(['tasks'], { ...look, answer: answers(unnamed, [SAMPLES['run.show']]) });
    expect(left.out).toContain('\u001b[2mopus (default)\u001b[22m');
    const unknown = await run(['tasks'], { ...look, answer: answers(unnamed, []) });
    expect(unknown.out).toContain('\u001b[2m(default)\u001b[22m');
  });

  it('carries the runs in its JSON', async () => {
    const { out } = await run(['tasks', '--json'], { answer: answers(working ?? {}, [SAMPLES['run.show']]) });
    expect(JSON.parse(out)).toMatchObject({ items: [{ title: 'Fix the login test' }], runs: [{ executor: 'claude' }] });
  });

  it('draws itself again every second with --watch, until the reader goes', async () => {
    let frames = 0;
    let passedMs = 0;
    const out = async (text: string) => {
      frames += 1;
      expect(text.startsWith('\u001b[2A\r')).toBe(frames > 1);
      if (frames === 4) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    };
    const pause = async (ms: number) => void (passedMs += ms);
    const io = { isTty: true, columns: 100, rows: 24, out, pause };
    expect((await run(['tasks', '--watch'], { answer: answers(working ?? {}, [SAMPLES['run.show']]), io })).code).toBe(0);
    expect({ frames, passedMs }).toEqual({ frames: 4, passedMs: 3000 });
  });

  it('is shown once with --watch where nobody looks', async () => {
    const { code, out } = await run(['tasks', '--watch'], { answer: answers(working ?? {}, []) });
    expect({ code, lines: out.split('\n').length }).toEqual({ code: 0, lines: 3 });
  });
});
