import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lastLinesAt } from './last-lines.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fleet-last-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('the last lines begin where reading all of them would find them, however long they are', async () => {
  const spool = join(directory, 'out');
  const line = fc.oneof(fc.constantFrom('', 'a', 'é'), fc.constantFrom('x'.repeat(300_000), 'y'.repeat(256 * 1024 - 1)));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom('', '\n'),
      fc.integer({ min: 1, max: 10 }),
      async (lines, end, count) => {
        const text = lines.join('\n') + end;
        await writeFile(spool, text);
        const all = text.split('\n');
        if (all.at(-1) === '') all.pop();
        const skipped = all.slice(0, Math.max(0, all.length - count));
        expect(await lastLinesAt(spool, count)).toBe(Buffer.byteLength(skipped.map((one) => `${one}\n`).join('')));
      },
    ),
    { numRuns: 150 },
  );
  expect(await lastLinesAt(join(directory, 'nothing'), 3)).toBe(0);
  expect(await lastLinesAt(directory, 3)).toBe(0);
});
