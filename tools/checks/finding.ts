/** What a check reports: nothing when all is well, else one line per violation. `notes` are printed either way. */
export interface Verdict {
  readonly violations: readonly string[];
  readonly notes?: readonly string[];
}

export type Check = (root: string) => Promise<Verdict>;
