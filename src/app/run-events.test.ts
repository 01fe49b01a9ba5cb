import { appendFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../contract/run-events.ts';
import { runEvents } from '../contract/run-events.ts';
import type { Executor, Job } from '../domain/agent/executor.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Run } from '../domain/run/run.ts';
import { type Instant, RunId, TaskId } from '../domain/values.ts';
import { claude } from '../executors/claude/claude.ts';
import { codex } from '../executors/codex/codex.ts';
import { gemini } from '../executors/gemini/gemini.ts';
import { plainJob } from '../executors/kit/jobs.ts';
import { type Transcript, transcriptsIn } from '../executors/kit/transcripts.ts';
import { opencode } from '../executors/opencode/opencode.ts';
import { shell } from '../executors/shell/shell.ts';
import { redactor } from '../redact/redactor.ts';
import { outputOf } from './output.ts';
import { eventsOf } from './run-events.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-events-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const since = '2030-01-01T00:00:00.000Z' as Instant;
const ended: Run['phase'] = { state: 'ended', at: since, outcome: 'crashed', detail: 'as it was told', exit: 1 };
const going: Run['phase'] = { state: 'claimed', since };
const closing = { type: 'outcome', outcome: 'crashed', time: since, detail: 'as it was told', exit: 1 };

let count = 0;
/** A run that has printed this, and who reads it. */
async function printed(text: string | Buffer, executor: Executor | undefined, job: Partial<Job> = {}) {
  count += 1;
  const id = RunId.parse(`run_${String(count).padStart(26, '0')}`);
  await mkdir(join(folder, id));
  const out = join(folder, id, 'out');
  await writeFile(out, text);
  const run = (phase: Run['phase']): Run => ({
    id,
    seq: 1,
    taskId: TaskId.parse(`task_${'0'.repeat(26)}`),
    kind: 'agent',
    attempt: 1,
    executor: executor?.name ?? 'gone',
    host: 'here',
    holds: [],
    phase,
    createdAt: since,
    updatedAt: since,
  });
  const redact = redactor(['a-secret-of-mine']);
  let bytesRead = 0;
  const { read } = outputOf(folder, { redactorFor: async () => redact });
  /** A Fleet that has just been started. */
  const reader = () =>
    eventsOf({
      read: async (...place) => {
        const page = await read(...place);
        bytesRead += page.next - place[2].after;
        return page;
      },
      executor: async () => executor,
      job: async () => ({ ...plainJob, ...job }),
    });
  return { out, run, reader, bytesRead: () => bytesRead };
}

type Reader = ReturnType<Awaited<ReturnType<typeof printed>>['reader']>;

/** Everything, page after page; `next` gives the reader of each page. */
async function all(run: Run, next: () => Reader, limit = 500): Promise<RunEvent[]> {
  const items: RunEvent[] = [];
  for (let after = 0; ; ) {
    const page = await next()(run, { after, limit });
    expect(page.next).toBeGreaterThanOrEqual(after);
    items.push(...page.items);
    after = page.next;
    if (!page.more) return items;
  }
}

const bare = (items: readonly RunEvent[]) => items.map(({ at: _at, ...event }) => event);
/** Counted together, however the pages parted them. */
const unknownIn = (items: readonly RunEvent[]) =>
  items.reduce((sum, event) => sum + (event.type === 'unknown' ? event.lines : 0), 0);
const known = (items: readonly RunEvent[]) => bare(items).filter(({ type }) => type !== 'unknown');

const EXECUTORS: readonly (readonly [string, Executor])[] = [
  ['claude', claude({ kind: 'cli', command: 'claude' } as never)],
  ['codex', codex({ command: 'codex', node: 'node', home: '/home', ours: (name: string) => name } as never)],
  ['gemini', gemini('gemini')],
  ['opencode', opencode('opencode')],
];
const TRANSCRIPTS = EXECUTORS.flatMap(([name, executor]) =>
  transcriptsIn(join(import.meta.dirname, '../executors', name, 'transcripts')).map(
    (transcript) => [`${name}: ${transcript.name}`, executor, transcript] as const,
  ),
);

/** What was written down beside the transcript when it was recorded; lines to send are no events. */
const expectedOf = ({ expected = '' }: Transcript): unknown[] =>
  expected
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"send":'))
    .map((line) => JSON.parse(line) as unknown);

const printedBy = (executor: Executor, { lines, prompt, job }: Transcript) =>
  printed(`${lines.join('\n')}\n`, executor, { ...(prompt === undefined ? {} : { prompt }), ...job });

describe('the events of a run', () => {
  it('has transcripts of several executors to read', () =>
    expect(new Set(TRANSCRIPTS.map(([, { name }]) => name)).size).toBe(EXECUTORS.length));

  it.each(TRANSCRIPTS)('are told once each, whatever the page and whoever restarts: %s', async (_n, executor, transcript) => {
    const { run, reader } = await printedBy(executor, transcript);
    const expected = expectedOf(transcript);
    const whole = await all(run(going), reader);
    expect(known(whole)).toEqual(expected);
    for (const limit of [1, 2, 3, 7]) {
      const one = reader();
      const pages = await all(run(going), () => one, limit);
      expect(known(pages), `pages of ${limit}`).toEqual(expected);
      expect(unknownIn(pages)).toBe(unknownIn(whole));
    }
    // Every page by a Fleet that knows nothing of the one before.
    const again = await all(run(going), reader, 2);
    expect(known(again)).toEqual(expected);
    expect(unknownIn(again)).toBe(unknownIn(whole));
    // And what its exit says comes last, once.
    const one = reader();
    const over = await all(run(ended), () => one, 3);
    expect(known(over).slice(0, expected.length)).toEqual(expected);
    expect(bare(over).at(-1)).toEqual(closing);
    expect(over.filter(({ type }) => type === 'outcome')).toHaveLength(1);
    expect(runEvents.output.shape.items.safeParse(over).error).toBeUndefined();
  });

  it('come as they are printed, and end once', async () => {
    const { out, run, reader } = await printed('', shell);
    const one = reader();
    const seen: RunEvent[] = [];
    let after = 0;
    const look = async (phase: Run['phase']) => {
      const page = await one(run(phase), { after, limit: 100 });
      after = page.next;
      seen.push(...page.items);
      return page;
    };
    expect(await look(going)).toEqual({ items: [], next: 0, more: false, ended: false, isText: true });
    await appendFile(out, 'one\ntw');
    await look(going);
    await appendFile(out, 'o\nthree');
    await look(going);
    expect(bare(seen)).toEqual([
      { type: 'said', text: 'one' },
      { type: 'said', text: 'two' },
    ]);
    expect(await look(ended)).toMatchObject({ more: false, ended: true });
    expect(bare(seen).slice(2)).toEqual([
      { type: 'said', text: 'three' },
      { type: 'ended', verdict: 'refused', summary: 'exit code 1' },
      closing,
    ]);
    expect(await look(ended)).toMatchObject({ items: [], more: false, ended: true });
  });

  it('are the last ones when only those are wanted, and go on after them', async () => {
    const { out, run, reader } = await printed(Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join(''), shell);
    const one = reader();
    const { items, next } = await one(run(going), { after: 0, last: 2, limit: 500 });
    expect(bare(items)).toEqual([48, 49].map((n) => ({ type: 'said', text: `line ${n}` })));
    await appendFile(out, 'later\n');
    expect(bare((await one(run(going), { after: next, limit: 500 })).items)).toEqual([{ type: 'said', text: 'later' }]);
  });

  it('count what the executor does not know, and what nobody knows', async () => {
    const [[, executor] = ['', shell]] = EXECUTORS;
    const garbage = Buffer.concat(
      Array.from({ length: 300 }, (_, n) => Buffer.concat([Buffer.from([0xff, 0, n % 9, 0xc3, 0x28, 0x1b]), Buffer.from('\n')])),
    );
    const { run, reader } = await printed(Buffer.concat([garbage, Buffer.from('{"type":"never heard of"}\n')]), executor);
    const page = await reader()(run(going), { after: 0, limit: 500 });
    expect(bare(page.items)).toEqual([{ type: 'unknown', lines: 301 }]);
    const one = reader();
    expect(unknownIn(await all(run(going), () => one, 1))).toBe(301);

    const gone = await printed('whatever\n{}\n', undefined);
    expect(await gone.reader()(gone.run(going), { after: 0, limit: 500 })).toMatchObject({
      isText: true,
      items: [{ type: 'unknown', lines: 2 }],
    });
  });

  it('are told up to where the executor fails, and that it did', async () => {
    const failing: Executor = {
      ...shell,
      step: (state, line) => ({ ...shell.step(state, line), ...(line === 'bad' ? { failed: 'it threw' } : {}) }),
    };
    const { run, reader } = await printed('good\nbad\nlost\nlost\n', failing);
    const one = reader();
    expect(bare(await all(run(ended), () => one, 500))).toEqual([
      { type: 'said', text: 'good' },
      { type: 'said', text: 'bad' },
      { type: 'failed', why: 'it threw' },
      { type: 'unknown', lines: 2 },
      closing,
    ]);
  });

  it('hold no secret', async () => {
    const { run, reader } = await printed('it is a-secret-of-mine\n', shell);
    expect(JSON.stringify(await all(run(ended), reader))).not.toContain('a-secret-of-mine');
  });

  it('pass over a line of 200 MB, and let others have their turn meanwhile', async () => {
    const { out, run, reader } = await printed('before\n', shell);
    const file = await open(out, 'a');
    // A file with a hole: nobody has to write the zeros.
    await file.truncate(200 * MB);
    await file.close();
    await appendFile(out, '\nafter\n');
    const one = reader();
    let [turns, isOver] = [0, false];
    const others = () => {
      turns += 1;
      if (!isOver) setImmediate(others);
    };
    others();
    const items = await all(run(going), () => one);
    isOver = true;
    const said = items.flatMap((event) => (event.type === 'said' ? [event.text.length] : []));
    expect(said).toEqual([6, LIMITS.outputLineBytes.value, 5]);
    // One for each slice of it at least.
    expect(turns).toBeGreaterThan(200);
  });

  it('are read on from where the reader was, not from the beginning, and no more than so much at once', async () => {
    const line = `${'x'.repeat(999)}\n`;
    const total = LIMITS.eventReadBytes.value + 2 * MB;
    const silent: Executor = { ...shell, step: (state) => ({ state, events: [], send: [] }) };
    const { out, run, reader, bytesRead } = await printed(line.repeat(Math.ceil(total / line.length)), silent);
    const one = reader();
    const first = await one(run(going), { after: 0, limit: 10 });
    expect(first).toMatchObject({ items: [], more: true, ended: false });
    expect(first.next).toBeLessThan(LIMITS.eventReadBytes.value + 2 * MB);
    const second = await one(run(going), { after: first.next, limit: 10 });
    expect(second).toMatchObject({ items: [], more: false });
    expect(bytesRead()).toBe(second.next);
    await appendFile(out, line);
    await one(run(going), { after: second.next, limit: 10 });
    expect(bytesRead()).toBe(second.next + line.length);
    // After a restart a far place is come to by several calls, each of which does its share.
    const fresh = reader();
    const back = await fresh(run(going), { after: second.next, limit: 10 });
    expect(back).toMatchObject({ items: [], next: second.next, more: true });
    expect(await fresh(run(ended), { after: second.next, limit: 10 })).toMatchObject({ more: false, ended: true });
  });
});

const MB = 1_024 * 1_024;
