import { z } from 'zod';
import { type Caller, mayMint, ROLES } from '../authority.ts';
import { Fault } from '../fault.ts';
import { Instant, Name, TokenId } from '../values.ts';

/** A key to this fleet, without its secret part: that is signed anew from these fields and is stored nowhere. */
export const Token = z.strictObject({
  id: TokenId,
  seq: z.int().min(1),
  /** Who its bearer is; recorded as the author of what it does. */
  name: Name,
  role: z.enum([...ROLES, 'host']),
  team: Name.optional(),
  /** The machine it belongs to, for a host. */
  host: Name.optional(),
  createdBy: z.string(),
  createdAt: Instant,
  expiresAt: Instant,
  revokedAt: Instant.optional(),
});
export type Token = z.infer<typeof Token>;

/** Refuses a token that could do more, in another team, or for longer, than the one who asks for it. */
export function assertNarrower(token: Token, minter: Caller): void {
  const wider = token.role === 'host' ? minter.role !== 'admin' : !mayMint(minter.role, token.role);
  if (wider) throw new Fault('forbidden', `${minter.name} is ${minter.role} and cannot make a token for ${token.role}`);
  if (minter.team !== undefined && token.team !== minter.team)
    throw new Fault('forbidden', `${minter.name} belongs to team ${minter.team} and can make tokens for that team only`);
  if (minter.until !== undefined && token.expiresAt > minter.until)
    throw new Fault('forbidden', `the token would outlive yours, which ends at ${minter.until}: ask for fewer days`);
}
