import { Fault } from '../domain/fault.ts';
import { assertNarrower, type Token } from '../domain/token/token.ts';
import { instantOf, msOf, TokenId } from '../domain/values.ts';
import { born, changed } from '../store/records/journal.ts';
import type { Seen } from '../store/records/record.ts';
import { tokenIndex, tokens } from '../store/records/tokens.ts';
import { type Handlers, plan, type Scope, type Signer } from './scope.ts';

const DAY_MS = 86_400_000;

export const tokenHandlers: Pick<Handlers, 'token.create' | 'token.list' | 'token.revoke'> = {
  'token.create': async ({ days, host, ...wish }, scope) => {
    const { caller, now } = scope;
    if ((wish.role === 'host') !== (host !== undefined))
      throw new Fault('invalid', host === undefined ? 'host: name the machine the token is for' : 'host: only for the role host');
    const token: Token = {
      ...wish,
      ...(host === undefined ? {} : { host }),
      // A caller of one team hands out nothing but that team.
      ...(wish.team === undefined && caller.team !== undefined ? { team: caller.team } : {}),
      id: scope.ids.token(),
      seq: 1,
      createdBy: caller.name,
      createdAt: now,
      expiresAt: instantOf(msOf(now) + days * DAY_MS),
    };
    assertNarrower(token, caller);
    const note = { what: 'made', why: `${token.role} for ${token.name}` };
    return plan({ ...token, token: '' }, born(tokens, token, { by: caller.name, at: now }, note));
  },

  'token.list': async ({ all, limit, cursor }, { reads, now }) => {
    const hits = await reads.scan({
      index: tokenIndex.all,
      limit: limit + 1,
      reverse: true,
      ...(cursor === undefined ? {} : { to: cursor }),
    });
    const items = hits.slice(0, limit).map(tokens.read);
    const last = hits.length > limit ? hits[limit - 1]?.sort : undefined;
    return plan({ items: all ? items : items.filter((token) => opens(token, now)), ...(last ? { cursor: last } : {}) });
  },

  'token.revoke': async ({ id }, scope) => {
    const seen = await findToken(id, scope);
    if (seen.body.revokedAt) return plan(seen.body);
    const { caller, now } = scope;
    const next = { ...seen.body, revokedAt: now };
    const change = changed(tokens, seen, next, { author: { by: caller.name, at: now }, note: { what: 'revoked' } });
    return plan({ ...next, seq: next.seq + 1 }, change);
  },
};

/** The secret is signed when the answer leaves, and is kept nowhere: not with the token, not with a keyed answer. */
export async function withSecret(answer: unknown, signer: Signer): Promise<unknown> {
  const { token: _none, ...token } = answer as Token & { token: string };
  return { ...token, token: await signer.sign(token) };
}

const opens = ({ revokedAt, expiresAt }: Token, now: string): boolean => revokedAt === undefined && expiresAt > now;

async function findToken(ref: string, { reads }: Scope): Promise<Seen<Token>> {
  const wanted = ref.toLowerCase();
  const whole = TokenId.safeParse(wanted).success ? wanted : await byTail(wanted, reads);
  const seen = whole === undefined ? undefined : await tokens.get(reads, whole);
  if (!seen) throw new Fault('not_found', `no token ${JSON.stringify(ref)}`, { token: ref });
  return seen;
}

async function byTail(tail: string, reads: Scope['reads']): Promise<string | undefined> {
  if (tail.length < 4) return undefined;
  const hits = await reads.scan({ index: tokenIndex.all, limit: reads.limits.rowsPerScan, reverse: true });
  const matching = hits.filter(({ key }) => key.id.endsWith(tail));
  if (matching.length > 1) throw new Fault('invalid', `more than one token ends with ${tail}: give more characters of its id`);
  return matching[0]?.key.id;
}
