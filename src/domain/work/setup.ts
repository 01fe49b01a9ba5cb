import { z } from 'zod';
import { TrustLevel } from './trust.ts';
import { CommitId } from './work.ts';

/** Everything that the results of a set-up may depend on. */
export const SetupSource = z.strictObject({
  /** Trust level of the agents in the workspace; the set-up is confined like them. */
  trust: TrustLevel,
  /** Digest of the machine and of the programs that set-up commands use. */
  toolchain: z.string(),
  commit: CommitId,
  /** The tree of the commit: a command may run any of its files. */
  tree: CommitId,
  /** Digest of the declared input files and of the declaration. Absent without a declaration. */
  inputs: z.string().optional(),
});
export type SetupSource = z.infer<typeof SetupSource>;

/** A finished set-up in a workspace: its command, its source and what it made. */
export const Setup = z.strictObject({
  command: z.string(),
  paths: z.array(z.string()),
  fingerprint: z.string(),
  /** Absent if an agent had worked in the tree before the set-up ran, and in old rows. */
  source: SetupSource.optional(),
});
export type Setup = z.infer<typeof Setup>;

export interface SetupRequest extends SetupSource {
  readonly command: string;
}

/**
 * Whether the results of a set-up can be reused. The same command on the same files makes the same results. With declared inputs
 * the same inputs suffice, but only `if-landed`: the commit of the set-up must be on the target branch, because unreviewed code
 * could have made anything of the same inputs. Below the trust level `own`, every source commit must have landed.
 */
export function reuseOf(made: Pick<Setup, 'command' | 'source'>, wanted: SetupRequest): 'yes' | 'if-landed' | 'no' {
  const { command, source } = made;
  if (source === undefined || command !== wanted.command) return 'no';
  if (source.trust !== wanted.trust || source.toolchain !== wanted.toolchain) return 'no';
  if (source.tree === wanted.tree) return source.trust === 'own' ? 'yes' : 'if-landed';
  return source.inputs !== undefined && source.inputs === wanted.inputs ? 'if-landed' : 'no';
}
