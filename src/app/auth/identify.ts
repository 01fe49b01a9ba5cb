import { type Caller, OWNER_ID } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import type { Token } from '../../domain/token/token.ts';
import type { Store } from '../../store/port.ts';
import { runs } from '../../store/records/runs.ts';
import { tokens } from '../../store/records/tokens.ts';
import { type Claims, type TextSigner, untilOf } from './signer.ts';

/** Tells who shows a token. Throws Fault('unauthenticated') for everybody else. */
export type Identify = (token: string) => Promise<Caller>;

const REMEMBERED = 10_000;

interface Surroundings {
  readonly signer: TextSigner;
  readonly store: Store;
  now(): number;
}

/**
 * A signature is checked once for each text. Whether the token still opens anything is asked of the store each time: a
 * revocation by any process holds at once, and a store that knows its rows answers without a trip.
 */
export function identifier({ signer, store, now }: Surroundings): Identify {
  const read = new Map<string, Claims>();
  const callers = new Map<string, Caller>();

  const readOnce = async (text: string): Promise<Claims> => {
    const claims = await signer.read(text, now());
    if (read.size >= REMEMBERED) read.clear();
    read.set(text, claims);
    return claims;
  };

  return async (text) => {
    const known = read.get(text);
    const claims = known && known.exp * 1_000 > now() ? known : await readOnce(text);
    const token = await opened(claims, store);
    const isOwner = token?.owner === true;
    // The same object as long as nothing changed: answers that are given again are kept by it.
    const before = callers.get(claims.jti);
    if (before && (before.id === OWNER_ID) === isOwner) return before;
    const caller = callerOf(claims, { isOwner, heldAs: token?.heldAs });
    if (callers.size >= REMEMBERED) callers.clear();
    callers.set(claims.jti, caller);
    return caller;
  };
}

/** Its row, where it has one. Throws when it opens nothing any more. */
async function opened(claims: Claims, store: Store): Promise<Token | undefined> {
  if (claims.role === 'run') {
    const run = (await runs.get(store, claims.jti))?.body;
    if (!run || run.phase.state === 'ended' || run.taskId !== claims.task)
      throw new Fault('unauthenticated', 'the run of this token has ended');
    return undefined;
  }
  const token = (await tokens.get(store, claims.jti))?.body;
  if (!token) throw new Fault('unauthenticated', 'the token is not known here');
  if (token.revokedAt) throw new Fault('unauthenticated', 'the token has been revoked');
  return token;
}

function callerOf(claims: Claims, { isOwner, heldAs }: { isOwner: boolean; heldAs: Token['heldAs'] }): Caller {
  const until = untilOf(claims);
  if (claims.role === 'run')
    return { id: claims.jti, name: claims.sub, role: 'run', run: { runId: claims.jti, taskId: claims.task }, until };
  const { sub, role, team, host } = claims;
  const id = isOwner ? OWNER_ID : claims.jti;
  const held = heldAs === undefined ? {} : { heldAs };
  return {
    id,
    name: sub,
    role,
    until,
    ...held,
    ...(team === undefined ? {} : { team }),
    ...(host === undefined ? {} : { host }),
  };
}
