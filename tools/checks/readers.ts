export interface ReaderEntry {
  readonly reason: string;
  readonly paths: readonly string[];
}

/** Modules that open files by other ways than `platform/read-safely`, and why no agent leads them astray. A path that needs no entry fails the check. */
export const readers: readonly ReaderEntry[] = [
  {
    reason: 'they are the safe way itself, and what it is made of',
    paths: [
      ...['src/platform/read-safely.ts', 'src/platform/read-safely-sync.ts', 'src/platform/safe-place.ts'],
      'src/platform/write-safely.ts',
    ],
  },
  {
    reason: 'opens without following links or waiting, and looks at what it has opened',
    paths: [
      ...[
        'src/runlog/plain-file.ts',
        'src/sandbox/lend.ts',
        'src/workspace/tree/copy-files.ts',
        'src/workspace/tree/links-out.ts',
      ],
      'src/workspace/tree/remove-tree.ts',
    ],
  },
  {
    reason: 'only makes files that must not be there yet, or opens directories',
    paths: [
      ...['src/platform/files.ts', 'src/platform/file-ops.ts', 'src/runner/ready-shims.ts', 'src/runner/run-directory.ts'],
      'src/workspace/private/show.ts',
    ],
  },
  {
    reason: 'files of the kernel',
    paths: [
      ...['src/platform/descriptors.ts', 'src/platform/proc.ts', 'src/platform/process-identity.ts', 'src/runner/cgroup.ts'],
      ...[
        'src/platform/machine-id.ts',
        'src/runner/process-count-watch.ts',
        'src/sandbox/probe.ts',
        'src/workspace/git/stale-lock.ts',
      ],
      ...['src/sandbox/cgroup-files.ts', 'src/sandbox/limits.ts', 'src/sandbox/measure.ts', 'src/sandbox/watched-here.ts'],
    ],
  },
  {
    reason:
      "files of the home that only Fleet and its owner write: no sandbox shows them, and an agent of the owner's own may write them anyway",
    paths: [
      ...['src/app/accounts.ts', 'src/app/auth/secret.ts', 'src/app/auth/token-file.ts', 'src/app/background.ts'],
      ...['src/app/connect/surrounding-run.ts', 'src/app/custom-executors.ts', 'src/app/engine-log.ts', 'src/app/home-format.ts'],
      ...[
        'src/app/host-identity.ts',
        'src/app/prices.ts',
        'src/app/readiness.ts',
        'src/app/run-secrets.ts',
        'src/app/runs.ts',
        'src/app/upkeep.ts',
      ],
      ...['src/app/serve/live-file.ts', 'src/app/settings/file-lock.ts', 'src/app/settings/settings-file.ts'],
      ...['src/store/sqlite/high-water.ts', 'src/store/sqlite/revision.ts', 'src/store/sqlite/upkeep/snapshot.ts'],
      ...['src/workspace/locks/repository-lock.ts', 'src/workspace/site.ts'],
      ...['src/workspace/private/bring-objects.ts', 'src/workspace/private/history.ts'],
    ],
  },
  {
    reason: 'a tree in which nobody works: its set-up has ended, and no agent has begun',
    paths: ['src/workspace/tree/setup-copy.ts'],
  },
  { reason: 'the users of the machine', paths: ['src/sandbox/user.ts'] },
  {
    reason: 'a file that a person names or that belongs to the program',
    paths: [
      ...['src/app/executor-test/trial.ts', 'src/app/serve/listen.ts', 'src/app/simulate/find-scenario.ts'],
      ...['src/executors/codex/play-support.ts', 'src/executors/kit/transcripts.ts', 'src/surfaces/cli/flows/prompt-source.ts'],
      ...['src/surfaces/cli/flows/task-export.ts', 'src/surfaces/cli/flows/task-import.ts'],
    ],
  },
  {
    reason: 'runs as the agent, or beside it, with what the agent was given',
    paths: [
      ...['src/app/mcp/post.ts', 'src/app/mcp/run-engine.ts', 'src/executors/scripted/conversation.ts'],
      ...['src/executors/scripted/scripted-agent.ts', 'src/sandbox/outside.ts', 'src/workspace/private/collector-snapshot.ts'],
      'src/workspace/private/collector.ts',
    ],
  },
  {
    reason:
      "git files of the user's repository, which agents trusted like the user's shell can write: off the main thread, or short",
    paths: ['src/workspace/save/commit-work.ts'],
  },
];

const SAFE_WAYS: ReaderEntry = {
  reason: 'they are the safe way itself',
  paths: [
    ...['src/platform/file-ops.ts', 'src/platform/read-safely.ts', 'src/platform/read-safely-sync.ts'],
    'src/platform/write-safely.ts',
  ],
};

/** Ways from a path that an agent can write to its text, where each is declared, and who needs it for what. */
export const escapes: Readonly<Record<string, { readonly of: string; readonly users: readonly ReaderEntry[] }>> = {
  partsOf: { of: 'src/platform/agent-path.ts', users: [SAFE_WAYS] },
  pathForArguments: {
    of: 'src/platform/agent-path.ts',
    users: [
      {
        reason: 'tells an agent where its notes are',
        paths: ['src/app/continuation.ts', 'src/app/open-services.ts', 'src/app/prepare.ts'],
      },
      { reason: 'tells bubblewrap what to show, once every source has been looked at', paths: ['src/app/sandbox/view.ts'] },
    ],
  },
  placeAt: {
    of: 'src/platform/file-ops.ts',
    users: [
      {
        reason: 'makes steps as data, which file-ops carries out and which follows no link below their root',
        paths: ['src/app/notes.ts', 'src/app/sandbox/confine.ts', 'src/runner/input-spool.ts'],
      },
    ],
  },
};

/** Modules that handle paths an agent can write and look at others by `node:fs`. */
export const lookers: readonly ReaderEntry[] = [
  { ...SAFE_WAYS, paths: SAFE_WAYS.paths.filter((path) => path.includes('read-safely')) },
  {
    reason: 'looks when something was changed, believes nothing else of it, and off the main thread',
    paths: ['src/runner/newest-change.ts'],
  },
  { reason: 'looks for the links an agent may have planted', paths: ['src/app/sandbox/plain-sources.ts'] },
  {
    reason: 'looks at files of the home that only Fleet and its owner write, or at what is in its directories of runs and tasks',
    paths: ['src/app/leftovers.ts', 'src/app/open-services.ts', 'src/app/run-secrets.ts', 'src/app/spools.ts'],
  },
  { reason: 'a secret that its owner names, and may have laid down as a link', paths: ['src/app/mcp/servers.ts'] },
  {
    reason: 'looks at the directories that Fleet makes its trees in, from outside of them',
    paths: ['src/workspace/entry.ts'],
  },
];
