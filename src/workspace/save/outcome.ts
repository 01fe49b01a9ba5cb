/** What became of the work in a site. */
export interface SaveOutcome {
  /** What the ref points to: the last commit itself when there was nothing else. */
  readonly commit: string;
  readonly head: string;
  /** Something was not committed. */
  readonly dirty: boolean;
  /** Files that could not be kept. While there are any, the site must be neither cleared nor discarded. */
  readonly left: readonly string[];
  /** Why the agent's commits were not taken with its files. */
  readonly unread?: string | undefined;
}

export interface CommitOutcome {
  /** Head of the branch afterwards. */
  readonly commit: string;
  readonly made: boolean;
  /** Why nothing was committed though something is there. */
  readonly why?: string | undefined;
}
