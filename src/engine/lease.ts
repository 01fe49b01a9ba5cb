import { Fault, isFault } from '../domain/fault.ts';
import type { FormerHost } from '../domain/host.ts';
import { type Instant, instantOf, msOf } from '../domain/values.ts';
import type { Version, Write } from '../store/port.ts';
import { type Lease, leases } from '../store/records/singles.ts';
import type { EngineDeps } from './deps.ts';

/** A process, so that no other process ever is taken for it: pids are used again, start times and boots are not. */
export interface EngineIdentity {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  readonly started: string;
}

type Leasing = Pick<EngineDeps, 'store' | 'now' | 'elapsed'> & {
  readonly self: EngineIdentity;
  /** Ids this host had before: an engine that runs under one of them runs this very home. */
  readonly formerHosts?: readonly FormerHost[] | undefined;
  /** Whether a process of this machine is still there. Only asked for one of the same host and boot. */
  alive(identity: EngineIdentity): Promise<boolean>;
  readonly forMs: number;
  /** As whom it is renewed: no news to whoever watches as the same. */
  readonly by?: object;
};

export interface HeldLease {
  /** To be put into every commit of the engine: an engine that lost its lease cannot write. */
  fence(): Write;
  renew(): Promise<void>;
  /**
   * For effects that no commit guards: refuses when the lease was taken. Whoever has slept, by either clock, asks the
   * store; to the awake it costs nothing. What begins right after it may still be overtaken, and needs an arbiter.
   */
  assure(): Promise<void>;
  giveUp(): Promise<void>;
}

const leaseId = (host: string) => `engine/${host}`;

/** Takes the lease of this host: at once from a dead process, otherwise only after it has run out. */
export async function takeLease(leasing: Leasing): Promise<HeldLease> {
  const { store, now, elapsed, self, forMs, by } = leasing;
  const seen = await leases.get(store, leaseId(self.host));
  if (seen && !(await mayTake(seen.body, leasing))) throw refusal(seen.body, now());
  const former = await formerLeases(leasing);
  const since = now();
  // A machine that sleeps does not count that time, and its wall clock may be set: they seldom err together.
  const moment = () => ({ wallMs: msOf(now()), elapsedMs: elapsed() });
  let known = moment();
  const lease = (): Lease => ({ id: leaseId(self.host), ...self, since, until: instantOf(msOf(now()) + forMs) });
  let version: Version = await store
    .commit([leases.put(lease(), seen?.version ?? 'absent'), ...former], { flush: true })
    .catch(async (error) => {
      const winner = isFault(error, 'conflict') ? await leases.get(store, leaseId(self.host)) : undefined;
      throw winner ? refusal(winner.body, now()) : error;
    });
  const renew = async () => {
    const asked = moment();
    version = await store.commit([leases.put(lease(), version)], by ? { by } : {});
    known = asked;
  };
  const isFresh = () => {
    const { wallMs, elapsedMs } = moment();
    return Math.abs(wallMs - known.wallMs) < forMs / 2 && elapsedMs - known.elapsedMs < forMs / 2;
  };
  let renewing: Promise<void> | undefined;
  const renewOnce = () => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return {
    fence: () => ({ op: 'check', key: leases.key(leaseId(self.host)), expect: version }),
    renew: renewOnce,
    assure: async () => {
      if (!isFresh()) await renewOnce();
    },
    giveUp: async () => {
      await store.commit([leases.remove(lease(), version)]).catch((error) => {
        if (!isFault(error, 'conflict')) throw error;
      });
    },
  };
}

type Holding = Pick<Leasing, 'store' | 'now' | 'alive' | 'self' | 'formerHosts'>;

async function mayTake(lease: Lease, { self, now, alive }: Holding): Promise<boolean> {
  if (lease.host === self.host && lease.boot === self.boot) return !(await alive(lease));
  return lease.host === self.host || lease.until < now();
}

/** Takes away the leases under former ids, so that whoever held one cannot write any more; refuses while that process lives. */
async function formerLeases({ store, now, alive, self, formerHosts = [] }: Holding & Pick<Leasing, 'now'>): Promise<Write[]> {
  const found = await Promise.all(
    formerHosts.map(async ({ host, why }) => ({ why, seen: await leases.get(store, leaseId(host)) })),
  );
  const writes: Write[] = [];
  for (const { why, seen } of found) {
    if (!seen) continue;
    // The lease in a copy is that of the original, which runs another home.
    const isOurs = why === 'named' && seen.body.boot === self.boot;
    if (isOurs && (await alive(seen.body))) throw refusal(seen.body, now());
    writes.push(leases.remove(seen.body, seen.version));
  }
  return writes;
}

function refusal({ pid, host, since, until }: Lease, now: Instant): Fault {
  const hangs = until < now ? `; it has not been heard of since before ${until}: if it hangs, end it with kill -9 ${pid}` : '';
  return new Fault('conflict', `another engine runs this home: process ${pid} on ${host}, since ${since}${hangs}`, {
    pid,
    host,
    since,
  });
}

/** Who holds the lease and is really there. */
export async function leaseHolder(leasing: Holding): Promise<Lease | undefined> {
  const { store, self, alive, formerHosts = [] } = leasing;
  const seen = await leases.get(store, leaseId(self.host));
  if (seen) return (await mayTake(seen.body, leasing)) ? undefined : seen.body;
  for (const { host, why } of formerHosts) {
    const before = why === 'named' ? await leases.get(store, leaseId(host)) : undefined;
    if (before?.body.boot === self.boot && (await alive(before.body))) return before.body;
  }
  return undefined;
}
