import { describe, it } from 'vitest';
import { assertEffect, type Effect, type Named } from './laws/proof.ts';
import { SETTING_EFFECTS } from './laws/setting-effects.ts';

type Proof = Effect<unknown, object> | Named;

describe('every setting changes something', () => {
  for (const [name, proof] of Object.entries(SETTING_EFFECTS) as [string, Proof | readonly Proof[]][])
    it(`${name} does [CONF-01]`, async () => {
      for (const one of [proof].flat() as Proof[]) await assertEffect(name, one);
    });
});
