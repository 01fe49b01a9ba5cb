export interface GraphCommit {
  readonly id: string;
  readonly subject: string;
  readonly author: string;
}

/** Where finished work came into a branch: what the branch is, and what was made beside it. Newest first, both. */
export interface GraphHistory {
  /** The first of them brought `beside` in; the one after it that `beside` began at is `fork`. */
  readonly trunk: readonly GraphCommit[];
  readonly beside: readonly GraphCommit[];
  readonly fork: string;
}

export interface GraphLine {
  readonly rail: string;
  readonly commit?: GraphCommit;
}

/** The two lines of history as a picture. */
export function graphOf({ trunk: [landed, ...trunk], beside, fork }: GraphHistory): GraphLine[] {
  if (!landed) return [];
  const at = trunk.findIndex(({ id }) => id === fork);
  const since = at === -1 ? trunk : trunk.slice(0, at);
  const before = at === -1 ? [] : trunk.slice(at);
  return [
    { rail: '●─╮', commit: landed },
    ...beside.map((commit) => ({ rail: '│ ●', commit })),
    ...since.map((commit) => ({ rail: '● │', commit })),
    { rail: '├─╯' },
    ...before.map((commit) => ({ rail: '●', commit })),
  ];
}
