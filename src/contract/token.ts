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
  summary: 'Create a token for a person, a program or a machine; it is shown once.',
  input: z.strictObject({
    name: Name.describe('name of the bearer'),
    role: Token.shape.role.describe('role of the bearer'),
    team: Name.optional().describe('the only team the bearer sees; by default every team'),
    host: Name.optional().describe('machine of the token; only for the role host'),
    days: z.int().min(1).max(LIMITS.tokenDays.value).default(90).describe('lifetime in days'),
  }),
  output: z.strictObject({ ...Token.shape, token: z.string() }),
  faults: ['invalid', 'forbidden', 'unavailable'],
});

export const linkToken = operation({
  name: 'token.link',
  kind: 'command',
  role: 'team-lead',
  summary: 'Create a short-lived code that signs one browser in as you.',
  input: z.strictObject({
    days: z.int().min(1).max(LIMITS.tokenDays.value).default(30).describe('days that the browser stays signed in'),
  }),
  output: z.strictObject({ id: LinkId, name: Name, role: Role, expiresAt: Instant, code: z.string() }),
  faults: ['invalid', 'forbidden', 'unavailable'],
});

export const listTokens = operation({
  name: 'token.list',
  kind: 'query',
  role: 'team-lead',
  summary: 'List tokens without their secrets, newest first.',
  input: z.strictObject({ all: z.boolean().default(false).describe('include expired and revoked tokens'), ...paged }),
  output: page(Token),
  faults: ['unavailable'],
});

export const revokeToken = operation({
  name: 'token.revoke',
  kind: 'command',
  role: 'team-lead',
  summary: 'Revoke a token, at once and everywhere.',
  input: z.strictObject({ id: Ref }),
  output: Token,
  faults: ['not_found', 'forbidden', 'unavailable'],
});
