import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../contract/index.ts';
import type { Phase } from '../../../domain/task/task.ts';
import { run } from '../fake-io.ts';
import { NOW_MS, SAMPLES, sampleTask } from '../views/samples.ts';

const since = new Date(NOW_MS).toISOString();

interface Printing {
  readonly id: string;
  readonly lines: string[];
  ended: boolean;
}

/** Two lines to a page; `tick` is called at every question and may let the agent print. */
function printer(runs: Printing[], phase: () => Phase, tick: () => void = () => undefined) {
  const page = (printing: Printing | undefined, wanted: number, last = Number.POSITIVE_INFINITY) => {
    const after = Math.max(wanted, (printing?.lines.length ?? 0) - last);
    const items = (printing?.lines ?? []).slice(after, after + 2).map((text, index) => ({ at: after + index + 1, text }));
    const next = after + items.length;
    return { ...(printing && { runId: printing.id }), items, next, ended: printing?.ended === true && items.length === 0 };
  };
  return (name: OperationName, input: Record<string, unknown>): unknown => {
    tick();
    const after = Number(input['after']);
    const last = input['last'] as number | undefined;
    if (name === 'task.log') return page(runs.at(-1), after, last);
    if (name === 'run.log')
      return page(
        runs.find(({ id }) => id === input['id']),
        after,
        last,
      );
    if (name === 'task.show') return sampleTask('7k2m9xqa', 'x', phase());
    if (name === 'run.list') return { items: runs.map(({ id }) => ({ ...SAMPLES['run.show'], id })).toReversed() };
    throw new Error(`not expected: ${name}`);
  };
}

const running: Phase = { state: 'queued', since };
const done: Phase = { state: 'done', at: since };
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

describe('fleet task log and fleet run log', () => {
  it('print every line once, over all pages, and nothing else', async () => {
    const answer = printer([{ id: 'r1', lines: numbers(1, 5), ended: true }], () => done);
    for (const argv of [
      ['task', 'log', 'abcd'],
      ['task', 'abcd', 'log'],
      ['run', 'log', 'r1'],
    ]) {
      expect(await run(argv, { answer })).toMatchObject({ code: 0, out: `${numbers(1, 5).join('\n')}\n`, err: '' });
    }
  });

  it('stop at what is there when the run still goes on', async () => {
    const answer = printer([{ id: 'r1', lines: numbers(1, 3), ended: false }], () => running);
    expect((await run(['run', 'log', 'r1', '--stream', 'err'], { answer })).out).toBe('line 1\nline 2\nline 3\n');
  });

  it('follow a task over its runs until it goes on no more', async () => {
    const first: Printing = { id: 'r1', lines: [], ended: false };
    const runs: Printing[] = [];
    let tick = 0;
    let phase: Phase = running;
    const answer = printer(
      runs,
      () => phase,
      () => {
        tick += 1;
        if (tick === 4) runs.push(first);
        if (tick > 4 && tick < 10) first.lines.push(`line ${tick}`);
        if (tick === 12) first.ended = true;
        if (tick === 20) runs.push({ id: 'r2', lines: ['again'], ended: true });
        if (tick === 24) phase = done;
      },
    );
    const { code, out } = await run(['task', 'log', 'abcd', '--follow'], { answer });
    expect(code).toBe(0);
    expect(out).toBe('line 5\nline 6\nline 7\nline 8\nline 9\nagain\n');
  });

  it('begin with the last lines when asked to', async () => {
    const answer = printer([{ id: 'r1', lines: numbers(1, 9), ended: true }], () => done);
    expect((await run(['run', 'log', 'r1', '--tail', '3'], { answer })).out).toBe('line 7\nline 8\nline 9\n');
    expect((await run(['run', 'log', 'r1', '--tail', '3', '--follow'], { answer })).out).toBe('line 7\nline 8\nline 9\n');
    expect((await run(['run', 'log', 'r1', '--after', '7'], { answer })).out).toBe('line 8\nline 9\n');
  });

  it('begin near the end for the last lines, and read no more than those', async () => {
    let asked = 0;
    const runs = [{ id: 'r1', lines: numbers(1, 9_000), ended: true }];
    const answer = printer(
      runs,
      () => done,
      () => {
        asked += 1;
      },
    );
    for (const argv of [
      ['run', 'log', 'r1', '--tail', '3'],
      ['task', 'log', 'abcd', '--tail', '3'],
    ])
      expect((await run(argv, { answer })).out).toBe('line 8998\nline 8999\nline 9000\n');
    expect(asked).toBeLessThan(10);
  });

  it('hold little of very long lines, and say which of the last ones are left out [RUN-12]', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `${n} ${'x'.repeat(250_000)}`);
    const answer = printer([{ id: 'r1', lines, ended: true }], () => done);
    const { out, err } = await run(['run', 'log', 'r1', '--tail', '80'], { answer });
    const shown = out.trimEnd().split('\n');
    expect(shown.at(-1)?.slice(0, 3)).toBe('99 ');
    expect(out.length).toBeLessThan(9 * 1024 * 1024);
    expect(err).toBe(`fleet: the first ${80 - shown.length} of these lines are left out: together they are too long\n`);
  });

  it('let nothing through that a terminal obeys, unless --raw', async () => {
    const lines = ['\u001b]0;owned\u0007red \u001b[31malert', 'windows\r'];
    const answer = printer([{ id: 'r1', lines, ended: true }], () => done);
    expect((await run(['run', 'log', 'r1'], { answer })).out).toBe('red alert\nwindows\n');
    expect((await run(['run', 'log', 'r1', '--raw'], { answer })).out).toBe(`${lines.join('\n')}\n`);
  });

  it('are one value with --json, with where to go on', async () => {
    const answer = printer([{ id: 'r1', lines: numbers(1, 3), ended: true }], () => done);
    expect(JSON.parse((await run(['task', 'log', 'abcd', '--json'], { answer })).out)).toEqual({
      items: [1, 2, 3].map((n) => ({ at: n, text: `line ${n}` })),
      runId: 'r1',
      next: 3,
      ended: true,
    });
  });

  it('say when the output is gone, and since when [R44]', async () => {
    const answer = () => ({ runId: 'r1', items: [], next: 0, ended: true, removedAt: '2030-02-03T04:05:06.000Z' });
    for (const argv of [
      ['run', 'log', 'r1'],
      ['task', 'log', 'abcd'],
      ['run', 'log', 'r1', '--tail', '3', '--follow'],
    ])
      expect(await run(argv, { answer })).toMatchObject({
        code: 0,
        out: '',
        err: 'fleet: its output was removed on 2030-02-03 by retention\n',
      });
    expect(JSON.parse((await run(['run', 'log', 'r1', '--json'], { answer })).out)).toMatchObject({
      removedAt: '2030-02-03T04:05:06.000Z',
    });
  });

  it('say when there is nothing to read yet', async () => {
    const answer = printer([], () => running);
    expect(await run(['task', 'log', 'abcd'], { answer })).toMatchObject({
      code: 0,
      out: '',
      err: 'fleet: it has not run yet\n',
    });
    expect(JSON.parse((await run(['task', 'log', 'abcd', '--json'], { answer })).out)).toEqual({
      items: [],
      next: 0,
      ended: false,
    });
  });

  describe('of an agent that prints for programs', () => {
    const LINES = ['{"type":"said"}', '{"type":"ended"}', '{"type":"more"}'];
    const EVENTS = [
      { at: 1, type: 'tool', id: 't', name: 'Bash', detail: 'npm test' },
      { at: 2, type: 'tool-done', id: 't', ok: true },
      { at: 3, type: 'said', text: 'all is well' },
    ];
    /** One event to a page, of which the second page finds none. */
    const answer = (isText: boolean) => {
      const lines = printer([{ id: 'r1', lines: LINES, ended: true }], () => done);
      return (name: OperationName, input: Record<string, unknown>): unknown => {
        if (name !== 'run.events') return lines(name, input);
        const after = Number(input['after']);
        const items = after === 1 ? [] : EVENTS.slice(after === 0 ? 0 : after - 1).slice(0, 1);
        const next = after + 1;
        return { runId: 'r1', items, next, more: next < 4, ended: next >= 4, isText };
      };
    };
    const tty = { isTty: true, columns: 80 };
    const decoded = '        1  ▸ Bash  npm test\n        2  ✓ Bash is done\n        3  ● all is well\n';

    it('are decoded on a terminal, and wherever it is asked for', async () => {
      for (const argv of [
        ['task', 'log', 'abcd'],
        ['run', 'log', 'r1'],
        ['run', 'log', 'r1', '--follow'],
        ['run', 'events', 'r1'],
      ])
        expect(await run(argv, { answer: answer(false), io: tty })).toMatchObject({ code: 0, out: decoded, err: '' });
      for (const argv of [
        ['task', 'log', 'abcd', '--events'],
        ['run', 'events', 'r1'],
      ])
        expect((await run(argv, { answer: answer(true) })).out).toBe(decoded);
    });

    it('are lines in a pipe, for --json, with --raw, of errors, and where they are text already', async () => {
      const text = `${LINES.join('\n')}\n`;
      expect((await run(['run', 'log', 'r1'], { answer: answer(false) })).out).toBe(text);
      expect((await run(['run', 'log', 'r1'], { answer: answer(true), io: tty })).out).toBe(text);
      expect((await run(['task', 'log', 'abcd', '--raw'], { answer: answer(false), io: tty })).out).toBe(text);
      expect((await run(['run', 'log', 'r1', '--stream', 'err'], { answer: answer(false), io: tty })).out).toBe(text);
      const { items } = JSON.parse((await run(['run', 'log', 'r1', '--json'], { answer: answer(false), io: tty })).out);
      expect(items.map((line: { text: string }) => line.text)).toEqual(LINES);
    });

    it('are entries with --json, and the last ones with --tail', async () => {
      const json = await run(['task', 'log', 'abcd', '--events', '--json'], { answer: answer(false) });
      expect(JSON.parse(json.out)).toEqual({ items: EVENTS, runId: 'r1', next: 4, more: false, ended: true, isText: false });
      const last = await run(['run', 'log', 'r1', '--events', '--tail', '1'], { answer: answer(false) });
      expect(last.out).toBe('        3  ● all is well\n');
    });
  });
});
