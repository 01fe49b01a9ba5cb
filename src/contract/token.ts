import { z } from 'zod';
import { Role } from '../domain/authority.ts';
import { LIMITS } from '../domain/limits.ts';
import { Token } from '../domain/token/token.ts';
import { Instant, LinkId, Name } from '../domain/values.ts';
import { operation } from './operation.ts';
import { page, paged, Ref } from './shapes.ts';

export const createToken = operation({
  name: 'token.create',
  kind: 'command',
  role: 'team-lead',
  summary: 'Make a token for a person, a program or a machine; it is shown once.',
  input: z.strictObject({
    name: Name.describe('who its bearer is'),
    role: Token.shape.role.describe('what its bearer may do'),
    team: Name.optional().describe('the one team its bearer sees; every team when left out'),
    host: Name.optional().describe('the machine it belongs to; only for the role host'),
    days: z.int().min(1).max(LIMITS.tokenDays.value).default(90).describe('how long it lasts'),
  }),
  output: z.strictObject({ ...Token.shape, token: z.string() }),
  faults: ['invalid', 'forbidden', 'unavailable'],
});

export const linkToken = operation({
  name: 'token.link',
  kind: 'command',
  role: 'team-lead',
  summary: 'Make a code that signs one browser in as you, once and soon.',
  input: z.strictObject({
    days: z.int().min(1).max(LIMITS.tokenDays.value).default(30).describe('how long the browser stays signed in'),
  }),
  output: z.strictObject({ id: LinkId, name: Name, role: Role, expiresAt: Instant, code: z.string() }),
  faults: ['invalid', 'forbidden', 'unavailable'],
});

export const listTokens = operation({
  name: 'token.list',
  kind: 'query',
  role: 'team-lead',
  summary: 'List the tokens that were made, newest first, without their secrets.',
  input: z.strictObject({ all: z.boolean().default(false).describe('also those that no longer open anything'), ...paged }),
  output: page(Token),
  faults: ['unavailable'],
});

export const revokeToken = operation({
  name: 'token.revoke',
  kind: 'command',
  role: 'team-lead',
  summary: 'Make a token worthless, at once and everywhere.',
  input: z.strictObject({ id: Ref }),
  output: Token,
  faults: ['not_found', 'forbidden', 'unavailable'],
});
