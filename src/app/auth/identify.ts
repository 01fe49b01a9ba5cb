import { type Caller, OWNER_ID } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import type { Store } from '../../store/port.ts';
import { runs } from '../../store/records/runs.ts';
import { tokens } from '../../store/records/tokens.ts';
import { type Claims, type Signer, untilOf } from './signer.ts';

/** Tells who shows a token. Throws Fault('unauthenticated') for everybody else. */
export type Identify = (token: string) => Promise<Caller>;

const REMEMBERED = 10_000;

interface Surroundings {
  readonly signer: Signer;
  readonly store: Store;
  now(): number;
}

/**
 * A signature is checked once for each text. Whether the token still opens anything is asked again after every commit, or
 * after every hint of a store that cannot tell its commits: a revocation by any process holds at once, and a busy caller
 * costs no read per request.
 */
export function identifier({ signer, store, now }: Surroundings, signal: AbortSignal): Identify {
  const read = new Map<string, Claims>();
  const alive = new Map<string, { readonly seen: number; readonly caller: Caller }>();
  let looks = 0;
  void (async () => {
    for await (const _ of store.watch(signal)) looks += 1;
  })().catch(() => undefined);

  const readOnce = async (text: string): Promise<Claims> => {
    const known = read.get(text);
    if (known && known.exp * 1_000 > now()) return known;
    const claims = await signer.read(text, now());
    if (read.size >= REMEMBERED) read.clear();
    read.set(text, claims);
    return claims;
  };

  return async (text) => {
    const claims = await readOnce(text);
    const seen = store.revision?.() ?? -looks;
    const known = alive.get(claims.jti);
    if (known?.seen === seen) return known.caller;
    const isOwner = await assertOpens(claims, store);
    // The same object as long as nothing changed: answers that are given again are kept by it.
    const caller = known && (known.caller.id === OWNER_ID) === isOwner ? known.caller : callerOf(claims, isOwner);
    if (alive.size >= REMEMBERED) alive.clear();
    alive.set(claims.jti, { seen, caller });
    return caller;
  };
}

/** Whether it is the token of the owner of the home. */
async function assertOpens(claims: Claims, store: Store): Promise<boolean> {
  if (claims.role === 'run') {
    const run = (await runs.get(store, claims.jti))?.body;
    if (!run || run.phase.state === 'ended' || run.taskId !== claims.task)
      throw new Fault('unauthenticated', 'the run of this token has ended');
    return false;
  }
  const token = (await tokens.get(store, claims.jti))?.body;
  if (!token) throw new Fault('unauthenticated', 'the token is not known here');
  if (token.revokedAt) throw new Fault('unauthenticated', 'the token has been revoked');
  return token.owner === true;
}

function callerOf(claims: Claims, isOwner: boolean): Caller {
  const until = untilOf(claims);
  if (claims.role === 'run')
    return { id: claims.jti, name: claims.sub, role: 'run', run: { runId: claims.jti, taskId: claims.task }, until };
  const { sub, role, team, host } = claims;
  const id = isOwner ? OWNER_ID : claims.jti;
  return { id, name: sub, role, until, ...(team === undefined ? {} : { team }), ...(host === undefined ? {} : { host }) };
}
