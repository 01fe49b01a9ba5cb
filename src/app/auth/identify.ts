import type { Caller } from '../../domain/authority.ts';
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
  const read = new Map<string, { claims: Claims; caller: Caller }>();
  const alive = new Map<string, number>();
  let looks = 0;
  void (async () => {
    for await (const _ of store.watch(signal)) looks += 1;
  })().catch(() => undefined);

  const readOnce = async (text: string): Promise<{ claims: Claims; caller: Caller }> => {
    const known = read.get(text);
    if (known && known.claims.exp * 1_000 > now()) return known;
    const claims = await signer.read(text, now());
    const found = { claims, caller: callerOf(claims) };
    if (read.size >= REMEMBERED) read.clear();
    read.set(text, found);
    return found;
  };

  return async (text) => {
    const { claims, caller } = await readOnce(text);
    const seen = store.revision?.() ?? -looks;
    if (alive.get(claims.jti) !== seen) {
      await assertOpens(claims, store);
      if (alive.size >= REMEMBERED) alive.clear();
      alive.set(claims.jti, seen);
    }
    return caller;
  };
}

async function assertOpens(claims: Claims, store: Store): Promise<void> {
  if (claims.role === 'run') {
    const run = (await runs.get(store, claims.jti))?.body;
    if (!run || run.phase.state === 'ended' || run.taskId !== claims.task)
      throw new Fault('unauthenticated', 'the run of this token has ended');
    return;
  }
  const token = (await tokens.get(store, claims.jti))?.body;
  if (!token) throw new Fault('unauthenticated', 'the token is not known here');
  if (token.revokedAt) throw new Fault('unauthenticated', 'the token has been revoked');
}

function callerOf(claims: Claims): Caller {
  const until = untilOf(claims);
  if (claims.role === 'run') return { name: claims.sub, role: 'run', run: { runId: claims.jti, taskId: claims.task }, until };
  const { sub, role, team, host } = claims;
  return { name: sub, role, until, ...(team === undefined ? {} : { team }), ...(host === undefined ? {} : { host }) };
}
