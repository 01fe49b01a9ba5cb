import { z } from 'zod';
import { DEFAULT_ACCOUNT } from '../domain/hold/account.ts';
import { Pause } from '../domain/hold/pause.ts';
import { Name } from '../domain/values.ts';
import { operation } from './operation.ts';
import { page, paged } from './shapes.ts';

export const listPauses = operation({
  name: 'pause.list',
  kind: 'query',
  role: 'monitor',
  summary: 'List paused accounts, on which nothing is started because the provider refuses more work.',
  input: z.strictObject({ all: z.boolean().default(false).describe('include pauses that are over'), limit: paged.limit }),
  output: page(Pause),
  faults: ['unavailable'],
});

export const liftPause = operation({
  name: 'pause.lift',
  kind: 'command',
  role: 'team-lead',
  summary: 'End the pause of an account early.',
  input: z.strictObject({
    executor: Name.describe('name of the executor'),
    account: Name.default(DEFAULT_ACCOUNT).describe('name of its account'),
  }),
  output: Pause,
  faults: ['invalid', 'not_found', 'unavailable'],
});
