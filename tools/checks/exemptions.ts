/** Every exception to the house rules, with its reason. An entry whose file is gone, or no longer needs it, fails the check. */
export interface Exemption {
  readonly path: string;
  readonly reason: string;
}

/** Files over the line limit: tables, recorded fixtures, generated files. */
export const longFiles: readonly Exemption[] = [
  { path: 'test/laws/limit-effects.ts', reason: 'a table: one entry for each limit' },
  { path: 'test/threats.ts', reason: 'a table: one entry for each attack' },
];

/** Files outside `app`, `platform` and `surfaces/cli` that may name a banned global. */
export const bannedGlobals: readonly (Exemption & { readonly global: string })[] = [
  {
    path: 'src/executors/scripted/scripted-agent.ts',
    global: 'process.env',
    reason: 'the agent is a program of its own; FLEET_ATTEMPT comes to it as to any agent',
  },
  {
    path: 'src/workspace/git/git-helper.ts',
    global: 'process.env',
    reason: 'a program of its own; what it was started with is what a git of its own gets',
  },
  {
    path: 'src/sandbox/inside.ts',
    global: 'process.env',
    reason: 'a program of its own; what it was started with is what the agent gets',
  },
  {
    path: 'src/sandbox/outside.ts',
    global: 'process.env',
    reason: "a program of its own; the user's proxy is said there",
  },
];

/** Files whose text may hold what looks like a path of one machine or the address of a registry. */
export const machineText: readonly Exemption[] = [];
