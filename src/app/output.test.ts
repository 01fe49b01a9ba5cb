import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../domain/limits.ts';
import type { RunId } from '../domain/values.ts';
import { redactor } from '../redact/redactor.ts';
import { outputOf } from './output.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-output-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the output of a run', () => {
  it('stays where it is before a very long line that has no end yet, and tells no line twice [RUN-12]', async () => {
    const runId = 'run_1' as RunId;
    const out = join(folder, runId, 'out');
    await mkdir(join(folder, runId));
    await writeFile(out, `first\n${'x'.repeat(2 * LIMITS.outputLineBytes.value)}`);
    const redact = redactor([]);
    const { read } = outputOf(folder, { redactorFor: async () => redact });
    const at = (after: number) => read(runId, 'out', { after, lines: 100, final: false });
    expect(await at(0)).toEqual({ items: [{ at: 6, text: 'first' }], next: 6 });
    expect(await at(6)).toEqual({ items: [], next: 6 });
    await appendFile(out, 'x\nlast\n');
    const { items } = await at(6);
    expect(items.map(({ text, dropped }) => [text.length, dropped])).toEqual([
      [LIMITS.outputLineBytes.value, LIMITS.outputLineBytes.value + 1],
      [4, undefined],
    ]);
  });
});
