import { z } from 'zod';
import { ROLES, Role } from '../authority.ts';
import { Instant, LinkId, Name, TokenId } from '../values.ts';

/** A short-lived, single-use right to one token, used to sign a browser in. */
export const SignInLink = z.strictObject({
  id: LinkId,
  seq: z.int().min(1),
  name: Name,
  role: Role,
  team: Name.optional(),
  /** When the token made through the link expires. */
  tokenExpiresAt: Instant,
  createdBy: z.string(),
  creatorId: z.string().optional(),
  heldAs: z.array(Role).max(ROLES.length).optional(),
  createdAt: Instant,
  expiresAt: Instant,
  /** The token that was made through the link. */
  taken: TokenId.optional(),
});
export type SignInLink = z.infer<typeof SignInLink>;
