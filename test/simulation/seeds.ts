import { describe, expect, it } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { simulate } from './simulate.ts';

const SEEDS = Number(process.env['FLEET_SIMULATION_SEEDS'] ?? 600);
const FIRST = Number(process.env['FLEET_SIMULATION_FIRST'] ?? 1);
const FULL_SEEDS = 10_000;
const STEPS = 200;
const BLOCKS = 10;

/** Seeds that once broke something, each with what it broke. */
const FIELD_SEEDS: readonly number[] = [];

async function all(seeds: readonly number[]): Promise<number> {
  let tasks = 0;
  for (const seed of seeds) {
    try {
      tasks += (await simulate(seed, STEPS)).tasks;
    } catch (error) {
      throw new Error(`simulation seed ${seed} failed; repeat it with FLEET_SIMULATION_FIRST=${seed} FLEET_SIMULATION_SEEDS=1`, {
        cause: error,
      });
    }
  }
  return tasks;
}

/** The seeds of one half of the blocks: each half is a file, so that both processors have one. */
export function simulation(half: 0 | 1): void {
  describe(`several engines over one store, ${SEEDS} seeds of crashes, restarts, delays, repeats, lost answers and clock jumps`, () => {
    const perBlock = Math.ceil(SEEDS / BLOCKS);
    for (let block = half; block < BLOCKS && block * perBlock < SEEDS; block += 2) {
      const first = FIRST + block * perBlock;
      const seeds = Array.from({ length: Math.min(perBlock, SEEDS - block * perBlock) }, (_, index) => first + index);
      it(`seeds ${first} to ${first + seeds.length - 1}: one fence, final is final, limits and pauses hold, nothing is lost or stuck [RUN-04] [TASK-03] [TASK-04] [TASK-08]`, async () => {
        expect(await all(seeds)).toBeGreaterThan(seeds.length);
      });
    }
    const more = Math.floor((FULL_SEEDS - SEEDS) / 2);
    const from = SEEDS + 1 + half * more;
    fullOnly(
      `seeds ${from} to ${from + more - 1}`,
      async () => void (await all(Array.from({ length: more }, (_, index) => from + index))),
    );
    if (half === 0 && FIELD_SEEDS.length > 0) it('seeds that once failed', async () => void (await all(FIELD_SEEDS)));
  });
}
