import type { Call } from '../contract/call.ts';
import type { Caller } from '../domain/authority.ts';
import type { HostId, Instant } from '../domain/values.ts';
import type { RunOutput } from '../operations/scope.ts';
import type { RunLog } from '../runlog/port.ts';
import type { Store } from '../store/port.ts';
import type { TextSigner } from './auth/signer.ts';
import type { OnCommit } from './commit-changes.ts';
import type { DiskRoom } from './disk-room.ts';
import type { ExecutorRegistry } from './executor-registry.ts';
import type { HomePaths } from './home.ts';
import type { HostIdentity } from './host-identity.ts';
import type { makeIds } from './make-ids.ts';
import type { Commits } from './observe/commits.ts';
import type { SettingsSource } from './settings/open-settings.ts';
import type { StoreCondition } from './store-condition.ts';

/** Everything wired together for one home, in this process. */
export interface FleetServices {
  /** As the owner of the home, who can read all of it anyway. */
  readonly call: Call;
  /** The same with what the owner gives of settings for these calls, as text by their names. */
  callWith(given?: Readonly<Record<string, string>>): Call;
  /** With what the caller gives of settings for its own calls, as text by their names. */
  callAs(caller: Caller, given?: Readonly<Record<string, string>>): Call;
  signer(): Promise<TextSigner>;
  readonly store: Store;
  /** How the database is doing, as far as its answers tell. */
  readonly condition: StoreCondition;
  /** How much room there is on the disks that runs write to. */
  readonly disk: DiskRoom;
  /** Tells what is committed through `store`. */
  readonly commits: Commits;
  readonly onNews: OnCommit;
  readonly output: RunOutput;
  readonly settings: SettingsSource;
  readonly texts: RunLog;
  readonly paths: HomePaths;
  /** One for the whole process: what it has loaded is loaded once. */
  readonly executors: ExecutorRegistry;
  readonly ids: ReturnType<typeof makeIds>;
  now(): Instant;
  self(): Promise<ProcessSelf>;
  /** Who this home is among the hosts of the fleet; made when it is first asked for. */
  host(): Promise<HostIdentity>;
  close(): Promise<void>;
}

export type ProcessSelf = { host: HostId; boot: string; pid: number; started: string };
