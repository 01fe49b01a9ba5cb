import type { LentFile } from './lend.ts';
import type { SandboxLimits } from './limits.ts';
import type { SandboxUser } from './user.ts';

/** Where the two sides meet, inside: a directory with the sockets below. Outside it is the `door` of a plan. */
export const DOOR = '/run/fleet';
/** Leads to the engine that lives now. */
export const TO_FLEET = 'fleet';
/** Leads to the hosts that are allowed; absent where the network is shared. */
export const TO_NETWORK = 'proxy';

/** On the machine it is nothing git sees: an empty directory, or in the place of a file a socket nobody listens at. */
export interface Placeholder {
  readonly path: string;
  readonly of: 'directory' | 'file';
}

/** What `outside` is told, as a file: everything about a sandbox but its secrets, which are in the environment. */
export interface SandboxPlan {
  readonly bwrap: string;
  readonly profile: readonly string[];
  /** The command of `inside`, up to the agent's own. */
  readonly inside: readonly string[];
  readonly agent: readonly string[];
  readonly directory: string;
  readonly door: string;
  /** Says where the engine is that lives now. */
  readonly live: string;
  /** Absent: its network is the machine's. */
  readonly hosts?: readonly string[];
  /** Whom root makes it for, and what of Fleet's own that one gets. */
  readonly user?: SandboxUser | undefined;
  readonly lent: readonly LentFile[];
  readonly limits: SandboxLimits;
  /** The file that says what it took too much of, when it was ended for that. */
  readonly exceeded: string;
  /** What masks are put on where nothing is: made before it begins, and taken away afterwards. */
  readonly placeholders: readonly Placeholder[];
}
