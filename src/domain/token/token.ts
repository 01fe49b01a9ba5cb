import { z } from 'zod';
import { type Caller, mayMint, ROLES, Role } from '../authority.ts';
import { Fault } from '../fault.ts';
import { Instant, Name, TokenId } from '../values.ts';
import { likenessOf } from './likeness.ts';

/** A key to this fleet, without its secret part: that is signed anew from these fields and is stored nowhere. */
export const Token = z.strictObject({
  id: TokenId,
  seq: z.int().min(1),
  /** For people: recorded as the author of what its bearer does. */
  name: Name,
  role: z.enum([...ROLES, 'host']),
  team: Name.optional(),
  /** The machine it belongs to, for a host. */
  host: Name.optional(),
  createdBy: z.string(),
  /** The id of the caller who made the token; tokens made before ids were kept have none. */
  creatorId: z.string().optional(),
  /** Roles of the tokens it was made with, up to the owner's: their bounds hold for its bearer too. */
  heldAs: z.array(Role).max(ROLES.length).optional(),
  /** The token that lies in the home for its owner. */
  owner: z.boolean().optional(),
  createdAt: Instant,
  expiresAt: Instant,
  revokedAt: Instant.optional(),
});
export type Token = z.infer<typeof Token>;

/** Whether it opens anything now. */
export const isTokenValid = ({ revokedAt, expiresAt }: Token, now: Instant): boolean =>
  revokedAt === undefined && expiresAt > now;

/** Names that the house itself signs the journal with: a token of that name would be taken for it. */
const HOUSE_NAMES = ['fleet', 'you', 'owner', 'retention'];

/** Refuses a name that people would take for somebody else's. `taken` are the names of tokens that open something now. */
export function assertOwnName(name: string, minter: Caller, taken: ReadonlySet<string>): void {
  const looks = likenessOf(name);
  if (HOUSE_NAMES.some((own) => likenessOf(own) === looks) || /^(host |run_|token_|task_)/i.test(name.normalize('NFKC')))
    throw new Fault('invalid', `name: ${name} is a name of Fleet's own, choose another`);
  // The owner may renew a token under its old name; nobody else may call a token like somebody who is there already.
  if (minter.role === 'admin' && minter.team === undefined) return;
  const other = [...taken, minter.name].find((one) => likenessOf(one) === looks);
  if (other !== undefined)
    throw new Fault('conflict', `name: there is a ${other} already, and ${name} looks like it: choose another`);
}

/** Refuses a token that could do more, in another team, or for longer, than the one who asks for it. */
export function assertNarrower(token: Token, minter: Caller): void {
  const wider = token.role === 'host' ? minter.role !== 'admin' : !mayMint(minter.role, token.role);
  if (wider) throw new Fault('forbidden', `${minter.name} is ${minter.role} and cannot make a token for ${token.role}`);
  if (minter.team !== undefined && token.team !== minter.team)
    throw new Fault('forbidden', `${minter.name} belongs to team ${minter.team} and can make tokens for that team only`);
  if (minter.until !== undefined && token.expiresAt > minter.until)
    throw new Fault('forbidden', `the token would outlive yours, which ends at ${minter.until}: ask for fewer days`);
}

/**
 * Whether a caller may see a token, and so revoke it: an admin sees all; others see their own token, those made with it
 * (and with those, and so on: `isDescendant`), and in their team those of roles that are narrower than theirs.
 */
export function seesToken(caller: Caller, token: Token, isDescendant: boolean): boolean {
  if (caller.role === 'admin') return caller.team === undefined || token.team === caller.team;
  if (token.id === caller.id || isDescendant) return true;
  if (token.owner || token.role === 'host') return false;
  const isInReach = caller.team === undefined || token.team === caller.team;
  return isInReach && mayMint(caller.role, token.role) && !mayMint(token.role, caller.role as Role);
}
