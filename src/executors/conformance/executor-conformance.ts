import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Executor } from '../executor.ts';
import { lawsOf } from '../kit/laws.ts';
import { transcriptsIn } from '../kit/transcripts.ts';

export interface Member {
  readonly executor: Executor;
  /** The folder of what its program really printed. */
  readonly transcripts: URL;
  /** Lines that mean nothing to it, besides those that mean nothing to anybody. */
  readonly unknown?: readonly string[];
}

/** The laws of the kit, and transcripts of the real program. Each run tries other lines; the title says which. */
export function executorConformance({ executor, transcripts, unknown }: Member): void {
  const recorded = transcriptsIn(fileURLToPath(transcripts));
  const seed = Math.floor(Math.random() * 2 ** 32);
  describe(`executor ${executor.name}, seed ${seed}`, () => {
    it('has transcripts, and says what follows from each', () => {
      expect(recorded.length).toBeGreaterThan(0);
      expect(recorded.filter(({ expected }) => expected === undefined).map(({ name }) => name)).toEqual([]);
    });

    for (const { says, holds } of lawsOf({ executor, transcripts: recorded, unknown, seed }))
      it(`${says} [EXEC-02]`, () => expect(holds).not.toThrow());
  });
}
