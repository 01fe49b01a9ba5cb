import { LIMITS } from '../../src/domain/limits.ts';
import { openLedger } from '../../src/simulate/ledger.ts';
import { remember, textOf } from '../../src/simulate/receive.ts';
import { type LimitProof, many } from './limit-proof.ts';
import { provedBy } from './proof.ts';

/** Limits of the model server that plays scenarios. */
export const SIMULATED_LIMITS = {
  simulatedRuns: provedBy('src/simulate/ledger.test.ts', 'drops the oldest run if there are too many'),
  simulatedFaults: {
    // Where it remembers the first request, the second meets no fault any more.
    bounded: (size) => {
      const page = openLedger().record('run');
      const plan = { faults: [{ kind: 'overloaded', times: 1, seconds: 1 }] } as never;
      const asked = many(size, (n) => ({ opening: [`say ${n}`], turn: 0, answers: 0 }) as never);
      for (const conversation of asked) page.nextFault(plan, conversation);
      return asked.filter((conversation) => page.nextFault(plan, conversation) === undefined).length;
    },
  },
  simulatedProblems: {
    bounded: (size) => {
      const page = openLedger().record('run');
      for (const problem of many(size, String)) remember(page, problem);
      return page.problems.length;
    },
  },
  simulatedRequestBytes: {
    bounded: async (size) => {
      const parts = (async function* () {
        yield Buffer.alloc(LIMITS.simulatedRequestBytes.value, 120);
        yield Buffer.alloc(size - LIMITS.simulatedRequestBytes.value, 120);
      })();
      return (await textOf(parts as never))?.length ?? 0;
    },
  },
  simulatedBytes: provedBy('src/simulate/ledger.test.ts', 'stays within its limit by dropping the oldest requests of all runs'),
} satisfies Record<string, LimitProof>;
