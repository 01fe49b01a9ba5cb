import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../domain/fault.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { run } from '../fake-io.ts';
import { taskId } from '../views/samples.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-transfer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const inFolder = () => ({ cwd: folder });

describe('task export', () => {
  const pages = [{ items: [{ n: 1 }, { n: 2 }], cursor: 'two' }, { items: [{ n: 3 }] }];
  const answer = (_: string, { cursor }: Record<string, unknown>) => pages[cursor === 'two' ? 1 : 0];
  const lines = '{"n":1}\n{"n":2}\n{"n":3}\n';

  it('writes every page as JSON Lines, and one value with --json', async () => {
    expect(await run(['task', 'export', '--project', 'site'], { answer })).toMatchObject({
      code: 0,
      out: lines,
      calls: [{ input: { project: 'site' } }, { input: { project: 'site', cursor: 'two' } }],
    });
    expect(JSON.parse((await run(['task', 'export', '--json'], { answer })).out)).toEqual({
      items: [{ n: 1 }, { n: 2 }, { n: 3 }],
    });
    expect(JSON.parse((await run(['task', 'export', '--json'], { answer: () => ({ items: [] }) })).out)).toEqual({ items: [] });
  });

  it('never writes over a file unless forced, and leaves no half file', async () => {
    const target = join(folder, 'out.jsonl');
    expect((await run(['task', 'export', '--file', 'out.jsonl'], { answer, io: inFolder() })).out).toBe(`3 tasks in ${target}\n`);
    await writeFile(target, 'mine');
    expect(await run(['task', 'export', '--file', 'out.jsonl'], { answer, io: inFolder() })).toMatchObject({
      code: 4,
      calls: [],
      err: expect.stringContaining('--force'),
    });
    expect(await readFile(target, 'utf8')).toBe('mine');
    await run(['task', 'export', '--file', 'out.jsonl', '--force'], { answer, io: inFolder() });
    expect(await readFile(target, 'utf8')).toBe(lines);
    const broken = () => {
      throw new Fault('unavailable', 'gone');
    };
    expect((await run(['task', 'export', '--file', 'other.jsonl'], { answer: broken, io: inFolder() })).code).toBe(7);
    expect(await readdir(folder)).toEqual(['out.jsonl']);
  });
});

describe('task import', () => {
  const created = (_: string, { lines }: Record<string, unknown>) => ({
    created: (lines as unknown[]).map(() => taskId('7k2m9xqa')),
    skipped: [],
  });
  const many = Array.from({ length: LIMITS.importBatch.value * 2 + 1 }, (_, index) => `{"id":"b-${index}","title":"t"}\n`).join(
    '',
  );

  it('sends batches named by the file, from a file or standard input', async () => {
    await writeFile(join(folder, 'in.jsonl'), `\n${many}`);
    const fromFile = await run(['task', 'import', 'in.jsonl'], { answer: created, io: inFolder() });
    expect(fromFile.out).toBe(`imported ${LIMITS.importBatch.value * 2 + 1} tasks\n`);
    expect(fromFile.calls.map(({ input }) => (input['lines'] as unknown[]).length)).toEqual([
      LIMITS.importBatch.value,
      LIMITS.importBatch.value,
      1,
    ]);
    expect(fromFile.calls.map(({ key }) => key)).toEqual([undefined, undefined, undefined]);
    const piped = await run(['task', 'import', '-'], { answer: created, stdin: `\n${many}` });
    expect(piped.calls).toEqual(fromFile.calls);
  });

  it('brings in what others wait for first, and refuses a cycle with its path', async () => {
    const bead = (id: string, ...after: string[]) =>
      JSON.stringify({ id, title: id, dependencies: after.map((depends_on_id) => ({ depends_on_id })) });
    const { calls } = await run(['task', 'import', '-'], {
      answer: created,
      stdin: [bead('a', 'b'), bead('b', 'c'), bead('c')].join('\n'),
    });
    expect(((calls[0]?.input ?? {})['lines'] as { id: string }[]).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    const ring = await run(['task', 'import', '-'], { answer: created, stdin: [bead('a', 'b'), bead('b', 'a')].join('\n') });
    expect(ring).toMatchObject({ code: 2, calls: [], err: expect.stringContaining('a → b → a') });
  });

  it('goes on in halves when a batch does not fit into one commit', async () => {
    const answer = (name: string, input: Record<string, unknown>) => {
      if ((input['lines'] as unknown[]).length > 4) throw new Fault('limit', 'too many writes');
      return created(name, input);
    };
    expect((await run(['task', 'import', '-'], { answer, stdin: many })).out).toBe(
      `imported ${LIMITS.importBatch.value * 2 + 1} tasks\n`,
    );
  });

  it.each([
    ['{"a":1}\n', 'line 1: a line is neither'],
    ['\n{oops\n', 'line 2 is not JSON'],
    ['\n\n[1]\n', 'line 3 is not a JSON object'],
    [`{"a":"${'x'.repeat(LIMITS.importLineBytes.value)}"}\n`, `line 1 is longer than ${LIMITS.importLineBytes.value} bytes`],
  ])('does nothing at all when a line is wrong: %#', async (stdin, message) => {
    const { code, calls, err } = await run(['task', 'import', '-'], { answer: created, stdin: many + stdin });
    expect({ code, calls }).toEqual({ code: 2, calls: [] });
    expect(err).toContain(message.replace(/\d+/, (line) => String(Number(line) + LIMITS.importBatch.value * 2 + 1)));
  });

  it('says how far it came when it is cut off', async () => {
    let batch = 0;
    const answer = (name: string, input: Record<string, unknown>) => {
      if (batch++ === 1) throw new Fault('unavailable', 'the store went away');
      return created(name, input);
    };
    const { code, err } = await run(['task', 'import', '-'], { answer, stdin: many });
    expect(code).toBe(7);
    expect(err).toBe(
      `fleet: the store went away (${LIMITS.importBatch.value} tasks were imported before that)\n       run it again: what was imported is left alone\n`,
    );
  });

  it('names a file that is not there', async () => {
    expect(await run(['task', 'import', 'none.jsonl'], { io: inFolder() })).toMatchObject({
      code: 2,
      calls: [],
      err: expect.stringContaining('ENOENT'),
    });
    expect(await run(['task', 'import', '.'], { io: inFolder() })).toMatchObject({
      code: 2,
      calls: [],
      err: expect.stringContaining('is not a file'),
    });
  });
});
