import { describe, it } from 'vitest';
import { LIMITS } from '../src/domain/limits.ts';
import { LIMIT_EFFECTS } from './laws/limit-effects.ts';
import { assertLimit, type LimitProof } from './laws/limit-proof.ts';

describe('every limit holds', () => {
  for (const [name, proof] of Object.entries(LIMIT_EFFECTS) as [keyof typeof LIMITS, LimitProof][])
    it(`${name} does [CONF-03]`, () => assertLimit(LIMITS[name].value, proof));
});
