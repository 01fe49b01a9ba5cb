import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faultHouse, memoryMb } from '../fixtures/fault-house.ts';
import { fullOnly, inFullRun } from '../full-only.ts';

const MB = 1_024 * 1_024;
const FLOOD_MB = inFullRun ? 2_048 : 200;
/** Node itself, and a few pages of a log; two thousand of these lines would be four hundred. */
const MOST_MB = 260;

describe('the log of a run that has flooded', () => {
  fullOnly('is read whole, by lines of any length, in little memory [RUN-12]', async () => {
    await using house = await faultHouse();
    await house.up();
    const ids = await house.queue([{ title: 'floods', script: 'echo first\nexit 0' }]);
    await house.settled(ids.values());
    const [run] = await house.runs();
    // Written here: the engine would end an agent that prints as much.
    const file = await open(join(house.home, 'runs', run?.id ?? '', 'out'), 'w');
    const long = { bytes: Buffer.from(`${'x'.repeat(200_000)}\n`), lines: 1 };
    const short = { bytes: Buffer.from('{"type":"said","text":"some words of an agent"}\n'.repeat(4_000)), lines: 4_000 };
    let [bytes, lines] = [0, 0];
    while (bytes < FLOOD_MB * MB) {
      // Very long ones first, one after the other.
      const next = bytes < 0.75 * FLOOD_MB * MB ? long : short;
      await file.write(next.bytes);
      bytes += next.bytes.length;
      lines += next.lines;
    }
    await file.close();
    for (const flags of [[], ['--json'], ['--tail', '100000'], ['--events', '--tail', '100000']]) {
      const child = house.start(['run', 'log', run?.id ?? '', ...flags]);
      let [most, read, newlines] = [0, 0, 0];
      const watching = setInterval(() => {
        most = Math.max(most, memoryMb(child.pid ?? 0));
      }, 20);
      child.stderr?.resume();
      child.stdout?.on('data', (chunk: Buffer) => {
        read += chunk.length;
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) newlines += 1;
      });
      const [code] = await once(child, 'close');
      clearInterval(watching);
      expect({ flags, code }).toEqual({ flags, code: 0 });
      expect(most, flags.join(' ')).toBeLessThan(MOST_MB);
      if (flags.length === 0) expect({ read, newlines }).toEqual({ read: bytes, newlines: lines });
      if (flags.includes('--tail')) expect(newlines).toBeGreaterThan(1_000);
    }
  });
});
