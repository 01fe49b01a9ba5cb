import { z } from 'zod';
import { ROLES, Role } from '../authority.ts';
import { Instant, LinkId, Name, TokenId } from '../values.ts';

/** A right to one token, to be taken once and soon: what signs a browser in. */
export const Link = z.strictObject({
  id: LinkId,
  seq: z.int().min(1),
  name: Name,
  role: Role,
  team: Name.optional(),
  /** How long the token it is good for lasts. */
  tokenExpiresAt: Instant,
  createdBy: z.string(),
  creatorId: z.string().optional(),
  heldAs: z.array(Role).max(ROLES.length).optional(),
  createdAt: Instant,
  expiresAt: Instant,
  /** The token it was taken for. */
  taken: TokenId.optional(),
});
export type Link = z.infer<typeof Link>;
