import { timingSafeEqual } from 'node:crypto';
import { heldBelow, Role } from '../../domain/authority.ts';
import { Fault, isFault } from '../../domain/fault.ts';
import type { SignInLink } from '../../domain/token/link.ts';
import { assertNarrower, assertOwnName, isTokenValid, type Token } from '../../domain/token/token.ts';
import { type Instant, instantOf, LinkId, msOf, TokenId } from '../../domain/values.ts';
import type { Store } from '../../store/port.ts';
import { endingWith, everyHit } from '../../store/queries/every-hit.ts';
import { changeWrites, creationWrites } from '../../store/records/journal.ts';
import type { Versioned } from '../../store/records/record.ts';
import type { Request } from '../../store/records/requests.ts';
import { links, tokenIndex, tokens } from '../../store/records/tokens.ts';
import { type Handlers, plan, type Scope, type TokenSigner } from '../scope.ts';

const DAY_MS = 86_400_000;
const LINK_MS = 5 * 60_000;

export const tokenHandlers: Pick<Handlers, 'token.create' | 'token.link' | 'token.list' | 'token.revoke'> = {
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
      creatorId: caller.id,
      ...held(heldBelow(caller)),
      createdAt: now,
      expiresAt: instantOf(msOf(now) + days * DAY_MS),
    };
    assertNarrower(token, caller);
    assertOwnName(token.name, caller, await scope.callerNames());
    const note = { what: 'made', why: `${token.role} for ${token.name}` };
    return plan({ ...token, token: '' }, creationWrites(tokens, token, { by: caller.name, at: now }, note));
  },

  'token.link': async ({ days }, scope) => {
    const { caller, now } = scope;
    const role = Role.safeParse(caller.role);
    if (!role.success) throw new Fault('forbidden', `${caller.name} is ${caller.role}: only people sign in`);
    const asked = instantOf(msOf(now) + days * DAY_MS);
    const link: SignInLink = {
      id: scope.ids.link(),
      seq: 1,
      name: caller.name,
      role: role.data,
      ...(caller.team === undefined ? {} : { team: caller.team }),
      // A browser is not signed in for longer than whoever signs it in.
      tokenExpiresAt: caller.until !== undefined && caller.until < asked ? caller.until : asked,
      createdBy: caller.name,
      creatorId: caller.id,
      ...held(caller.heldAs),
      createdAt: now,
      expiresAt: instantOf(msOf(now) + LINK_MS),
    };
    const { id, name, expiresAt } = link;
    const author = { by: caller.name, at: now };
    return plan({ id, name, role: link.role, expiresAt, code: '' }, creationWrites(links, link, author, { what: 'made' }));
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
    return plan({ items: all ? items : items.filter((token) => isTokenValid(token, now)), ...(last ? { cursor: last } : {}) });
  },

  'token.revoke': async ({ id }, scope) => {
    const seen = await findToken(id, scope);
    if (seen.body.revokedAt) return plan(seen.body);
    const { caller, now } = scope;
    const next = { ...seen.body, revokedAt: now };
    const change = changeWrites(tokens, seen, next, { author: { by: caller.name, at: now }, note: { what: 'revoked' } });
    return plan({ ...next, seq: next.seq + 1 }, change);
  },
};

const held = (roles: readonly Role[] | undefined): Pick<Token, 'heldAs'> =>
  roles === undefined || roles.length === 0 ? {} : { heldAs: [...roles] };

/** A secret is made when the answer leaves, and is kept nowhere: not with its row, not with a keyed answer. */
export async function withSecret(name: string, answer: unknown, signer: TokenSigner): Promise<unknown> {
  if (name === 'token.link') return { ...(answer as SignInLink), code: await signer.codeOf((answer as SignInLink).id) };
  if (name !== 'token.create') return answer;
  const { token: _none, ...token } = answer as Token & { token: string };
  return { ...token, token: await signer.sign(token) };
}

const SHOWS_SECRET: readonly string[] = ['token.create', 'token.link'];

/** What was answered before, unless a secret was part of it: a secret is shown once, to whoever asked first. */
export function assertNoSecret({ operation, answer, at }: Pick<Request, 'operation' | 'answer' | 'at'>): unknown {
  if (!SHOWS_SECRET.includes(operation)) return answer;
  const { id } = answer as { id: string };
  throw new Fault('conflict', `${id} was made with this key at ${at}, and its secret is shown once`, {
    hint: operation === 'token.create' ? `revoke it and make another: fleet token revoke ${id.slice(-8)}` : 'ask for a new link',
  });
}

/** Of every token that still opens something, however many there are. */
export async function callerNames(reads: Scope['reads'], now: Instant, person: string): Promise<ReadonlySet<string>> {
  const names = new Set([person.toLowerCase()]);
  for await (const hit of everyHit(reads, tokenIndex.all)) {
    const token = tokens.read(hit);
    if (isTokenValid(token, now)) names.add(token.name.toLowerCase());
  }
  return names;
}

/** Takes the token a link is good for; whoever comes second with the same code gets nothing. */
export async function redeem(code: string, { store, signer, ids, now }: RedeemDeps): Promise<Token & { token: string }> {
  const id = LinkId.safeParse(`link_${code.slice(0, code.indexOf('.'))}`);
  const refused = new Fault('unauthenticated', 'the link is not valid any more: `fleet login` makes a new one');
  if (!id.success || !isSame(code, await signer.codeOf(id.data))) throw refused;
  const seen = await links.get(store, id.data);
  const at = now();
  if (!seen || seen.body.taken || seen.body.expiresAt <= at) throw refused;
  const { name, role, team, tokenExpiresAt, createdBy, creatorId, heldAs } = seen.body;
  const token: Token = {
    id: ids.token(),
    seq: 1,
    name,
    role,
    ...(team === undefined ? {} : { team }),
    createdBy,
    ...(creatorId === undefined ? {} : { creatorId }),
    ...held(heldAs),
    createdAt: at,
    expiresAt: tokenExpiresAt,
  };
  const author = { by: name, at };
  const writes = [
    ...changeWrites(links, seen, { ...seen.body, taken: token.id }, { author, note: { what: 'taken' } }),
    ...creationWrites(tokens, token, author, { what: 'made', why: `a browser of ${name}` }),
  ];
  await store.commit(writes, { flush: true }).catch((error: unknown) => {
    throw isFault(error, 'conflict') ? refused : error;
  });
  return { ...token, token: await signer.sign(token) };
}

export interface RedeemDeps {
  readonly store: Store;
  readonly signer: TokenSigner;
  readonly ids: Pick<Scope['ids'], 'token'>;
  now(): Instant;
}

const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
};

async function findToken(ref: string, { reads }: Scope): Promise<Versioned<Token>> {
  const wanted = ref.toLowerCase();
  const whole = TokenId.safeParse(wanted).success ? wanted : await byTail(wanted, reads);
  const seen = whole === undefined ? undefined : await tokens.get(reads, whole);
  if (!seen) throw new Fault('not_found', `no token ${JSON.stringify(ref)}`, { token: ref });
  return seen;
}

async function byTail(tail: string, reads: Scope['reads']): Promise<string | undefined> {
  if (tail.length < 4) return undefined;
  const hit = await endingWith(reads, tokenIndex.all, tail);
  if (hit === 'two') throw new Fault('invalid', `more than one token ends with ${tail}: give more characters of its id`);
  return hit?.key.id;
}
