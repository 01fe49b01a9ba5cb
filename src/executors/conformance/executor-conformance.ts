import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Executor } from '../executor.ts';
import { lawsOf } from '../kit/laws.ts';
import { transcriptsIn } from '../kit/transcripts.ts';

export interface ConformanceSubject {
  readonly executor: Executor;
  /** The folder of transcripts of the real program. */
  readonly transcripts: URL;
  /** Lines without meaning to this executor, instead of the common ones. */
  readonly unknown?: readonly string[];
}

/** Checks the laws of the kit and the transcripts of the real program. Each run tries other random lines; the title has the seed. */
export function executorConformance({ executor, transcripts, unknown }: ConformanceSubject): void {
  const recorded = transcriptsIn(fileURLToPath(transcripts));
  const seed = Math.floor(Math.random() * 2 ** 32);
  describe(`executor ${executor.name}, seed ${seed}`, () => {
    it('has transcripts with expected results', () => {
      expect(recorded.length).toBeGreaterThan(0);
      expect(recorded.filter(({ expected }) => expected === undefined).map(({ name }) => name)).toEqual([]);
    });

    for (const { title, check } of lawsOf({ executor, transcripts: recorded, unknown, seed }))
      it(`${title} [EXEC-02]`, () => expect(check).not.toThrow());
  });
}
