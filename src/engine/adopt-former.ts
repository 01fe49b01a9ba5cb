import type { FormerHost } from '../domain/host.ts';
import type { Hit, Write } from '../store/port.ts';
import { everyHit } from '../store/queries/every-hit.ts';
import { hostIndex, hosts } from '../store/records/hosts.ts';
import { changeWrites } from '../store/records/journal.ts';
import { runIndex, runs } from '../store/records/runs.ts';
import { workspaceIndex, workspaces } from '../store/records/workspaces.ts';
import type { EngineDeps } from './deps.ts';

type Adopting = Pick<EngineDeps, 'store' | 'now' | 'host' | 'hostName' | 'formerHosts'> & {
  /** No other host works with this store: whatever other host it knows of came with a copy or a backup. */
  readonly isSoleHost?: boolean | undefined;
  /** Whether a path lies in this home. */
  readonly isHere?: ((path: string) => boolean) | undefined;
  log(event: string, fields: Record<string, unknown>): void;
};

/**
 * Before the first controller begins, everything of this home stands under its id: runs and workspaces that were written under
 * a former one are taken over. Safe to repeat; a run whose processes live is then found by its mark like any other, and one
 * without processes is settled as lost.
 */
export async function adoptFormer(adopting: Adopting): Promise<void> {
  const { store, host, hostName, now, formerHosts = [] } = adopting;
  const known = await hosts.get(store, host);
  if (known?.body.name !== hostName)
    await store.commit([hosts.put({ since: now(), ...known?.body, id: host, name: hostName }, known?.version ?? 'absent')]);
  for (const former of [...formerHosts, ...(await strangers(adopting))]) await adopt(former, adopting);
}

/** A database that was restored here from a backup of another home knows hosts that this home never was. */
async function strangers({ store, host, formerHosts = [], isSoleHost }: Adopting): Promise<FormerHost[]> {
  if (!isSoleHost) return [];
  const found: FormerHost[] = [];
  for await (const { key } of everyHit(store, hostIndex.all))
    if (key.id !== host && !formerHosts.some((former) => former.host === key.id)) found.push({ host: key.id, why: 'copied' });
  return found;
}

async function adopt(former: FormerHost, adopting: Adopting): Promise<void> {
  const { store, host, log } = adopting;
  if (former.host === host) return;
  let [live, places] = [0, 0];
  for (const hit of await all(adopting, runIndex.live(former.host))) {
    await store.commit(runTaken(hit, former, adopting));
    live += 1;
  }
  for (const hit of await all(adopting, workspaceIndex.host(former.host))) {
    await store.commit([workspaceTaken(hit, adopting)]);
    places += 1;
  }
  if (live + places > 0) log('host.adopted', { former: former.host, why: former.why, runs: live, workspaces: places });
}

/** Read whole before anything is written: rows leave the index as they are taken over. */
async function all({ store }: Adopting, index: string): Promise<Hit[]> {
  const found: Hit[] = [];
  for await (const hit of everyHit(store, index)) found.push(hit);
  return found;
}

function runTaken(hit: Hit, { why }: FormerHost, { host, hostName, now }: Adopting): Write[] {
  const run = runs.read(hit);
  const at = now();
  const said =
    why === 'copied' ? 'this home is a copy: what runs for the original is not its own' : 'hosts are known by an id now';
  return changeWrites(
    runs,
    hit,
    { ...run, host, updatedAt: at },
    {
      author: { by: `host ${hostName}`, at },
      note: { what: 'host', from: run.host, to: host, why: said },
    },
  );
}

/** The directory of a copy's original is not touched: its row goes, and the task gets another from what is kept of its work. */
function workspaceTaken(hit: Hit, { host, now, isHere = () => true }: Adopting): Write {
  const workspace = workspaces.read(hit);
  return isHere(workspace.path)
    ? workspaces.put({ ...workspace, host, updatedAt: now() }, hit.version)
    : workspaces.remove(workspace, hit.version);
}
