import { z } from 'zod';
import { TrustLevel } from './trust.ts';
import { CommitId } from './work.ts';

/** What a set-up runs on: everything its results may follow from. */
export const SetupSource = z.strictObject({
  /** Of the agents in its workspace; the set-up itself runs as confined as they do. */
  trust: TrustLevel,
  /** Digest of the machine and the programs that set-up commands use. */
  toolchain: z.string(),
  commit: CommitId,
  /** All files of the commit: a command may run any of them. */
  tree: CommitId,
  /** Digest of the files the project declares as inputs, and of the declaration. Absent without one. */
  inputs: z.string().optional(),
});
export type SetupSource = z.infer<typeof SetupSource>;

/** A set-up that has been done in a workspace: of which command, from what, and what it made. */
export const Setup = z.strictObject({
  command: z.string(),
  paths: z.array(z.string()),
  fingerprint: z.string(),
  /** Absent where an agent had been in the tree before it ran, and in rows of before sources were recorded. */
  source: SetupSource.optional(),
});
export type Setup = z.infer<typeof Setup>;

export interface SetupWish extends SetupSource {
  readonly command: string;
}

/**
 * Whether what a set-up made can stand in for running it again. The same command over the same files makes the same. Where
 * the project declares its inputs, the same inputs do as well, but only `if-landed`: the commit it was made from must be on the
 * target branch, because code that nobody has agreed to could have made anything of the same inputs. Below the user's own level everything
 * must have landed.
 */
export function reuseOf(made: Pick<Setup, 'command' | 'source'>, wanted: SetupWish): 'yes' | 'if-landed' | 'no' {
  const { command, source } = made;
  if (source === undefined || command !== wanted.command) return 'no';
  if (source.trust !== wanted.trust || source.toolchain !== wanted.toolchain) return 'no';
  if (source.tree === wanted.tree) return source.trust === 'own' ? 'yes' : 'if-landed';
  return source.inputs !== undefined && source.inputs === wanted.inputs ? 'if-landed' : 'no';
}
