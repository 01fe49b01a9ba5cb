import type { OperationName } from '../../contract/index.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { CommandValue, FlowName } from './command.ts';

type By<Thing> = Readonly<Partial<Record<OperationName, Thing>>>;

/** Fields given by their place. Whether one is required or repeated is read from the contract. */
export const POSITIONALS: By<readonly string[]> = {
  'task.show': ['id'],
  'task.edit': ['id'],
  'task.delete': ['id'],
  'task.events': ['id'],
  'task.dispatch': ['id'],
  'task.log': ['id'],
  'task.open': ['id'],
  'task.cost': ['id'],
  'task.wait': ['ids'],
  'task.send': ['id', 'text'],
  'task.retry': ['id'],
  'task.resume': ['id', 'text'],
  'task.fork': ['id', 'text'],
  'run.show': ['id'],
  'run.log': ['id'],
  'run.events': ['id'],
  'run.facts': ['id'],
  'run.cancel': ['id'],
  'task.cancel': ['id'],
  'task.comment': ['id', 'text'],
  'task.diff': ['id'],
  'task.report': ['id'],
  'task.approve': ['id'],
  'task.reject': ['id', 'text'],
  'task.merge': ['id'],
  'task.verify': ['id'],
  'task.commit': ['id'],
  'task.push': ['id', 'remote'],
  'task.restore': ['id'],
  'task.cleanup': ['id'],
  'workspace.delete': ['id'],
  'fleet.blame': ['file'],
  'task.claim': ['id'],
  'task.complete': ['id'],
  'task.unclaim': ['id'],
  'project.add': ['path'],
  'project.show': ['project'],
  'project.set': ['project'],
  'project.remove': ['project'],
  'run.context': ['id'],
  'inbox.read': ['task'],
  'task.review': ['id', 'text'],
  'question.ask': ['text'],
  'question.show': ['id'],
  'question.answer': ['id', 'text'],
  'question.withdraw': ['id'],
  'pause.lift': ['executor', 'account'],
  'token.create': ['name'],
  'token.revoke': ['id'],
  'executor.show': ['executor'],
  'config.show': ['name'],
  'config.set': ['assignments'],
  'db.backup': ['file'],
  'db.restore': ['file'],
  'db.export': ['file'],
};

/** Fields that are paths on the caller's machine. */
export const PATHS: By<readonly string[]> = {
  'project.add': ['path'],
  'task.create': ['directory'],
  'fleet.blame': ['file'],
  'task.import': ['directory'],
  'db.backup': ['file'],
  'db.restore': ['file'],
  'db.export': ['file'],
};

interface FlowRule {
  readonly flow: FlowName;
  /** Fields the flow fills in by itself. */
  readonly hidden?: readonly string[];
  /** Required fields that the flow may get in another way. */
  readonly relaxed?: readonly string[];
  readonly flags?: readonly CommandValue[];
  readonly positionals?: readonly CommandValue[];
}

const local = (name: string, rest: Partial<CommandValue> & Pick<CommandValue, 'description'>): CommandValue => ({
  name,
  field: name,
  type: 'string',
  repeated: false,
  required: false,
  local: true,
  ...rest,
});

const promptFile = local('prompt-file', {
  field: 'promptFile',
  description: 'file that holds the prompt; - reads standard input',
  isPath: true,
});

const pageFlags: readonly CommandValue[] = [
  local('follow', { description: 'go on until it has ended', type: 'boolean' }),
  local('tail', {
    description: 'begin with the last lines, or events, only',
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.logTailLines.value,
  }),
];

const logFlags: readonly CommandValue[] = [
  ...pageFlags,
  local('events', { description: 'what the agent said and did, decoded; on a terminal, the default', type: 'boolean' }),
  local('raw', { description: 'its lines as it printed them, with what a terminal would obey', type: 'boolean' }),
];

export const FLOWS: By<FlowRule> = {
  'task.log': { flow: 'task-log', hidden: ['limit', 'last'], flags: logFlags },
  'task.open': { flow: 'task-open', hidden: ['files'] },
  'run.log': { flow: 'run-log', hidden: ['limit', 'last'], flags: logFlags },
  'run.events': { flow: 'run-log', hidden: ['limit', 'last'], flags: pageFlags },
  'run.show': { flow: 'run-show' },
  'task.diff': {
    flow: 'task-diff',
    flags: [
      local('stat', { description: 'only which files, and how much of each', type: 'boolean' }),
      local('raw', { description: 'the text as git wrote it, for git apply', type: 'boolean' }),
    ],
  },
  'task.wait': {
    flow: 'task-wait',
    flags: [local('timeout', { description: 'most seconds to wait; then exit code 6', type: 'number', minimum: 0 })],
  },
  'task.create': {
    flow: 'task-create',
    relaxed: ['prompt'],
    flags: [promptFile],
    positionals: [
      local('words', { name: 'PROMPT', description: 'what the agent is asked to do, in quotes; - reads standard input' }),
    ],
  },
  'task.edit': { flow: 'task-edit', flags: [promptFile] },
  'task.export': {
    flow: 'task-export',
    hidden: ['limit', 'cursor'],
    flags: [
      local('file', { description: 'file to write; standard output when left out', isPath: true }),
      local('force', { description: 'write over a file that exists', type: 'boolean' }),
    ],
  },
  'task.import': {
    flow: 'task-import',
    hidden: ['lines'],
    positionals: [
      local('file', { name: 'FILE', description: 'file of JSON Lines; - reads standard input', required: true, isPath: true }),
    ],
  },
};

interface Shortcut {
  readonly word: string;
  readonly operation: OperationName;
  readonly summary?: string;
  readonly flow?: FlowName;
  /** Of the operation's flags, only these. */
  readonly flags?: readonly string[];
  /** Of those, the ones that may be given by their place as well. */
  readonly places?: readonly string[];
  /** Values for its flow alone. */
  readonly locals?: readonly CommandValue[];
  readonly examples?: readonly string[];
}

export const SHORTCUTS: readonly Shortcut[] = [
  { word: 'init', operation: 'home.init' },
  { word: 'status', operation: 'fleet.status' },
  {
    word: 'tasks',
    operation: 'task.list',
    summary: 'Show the tasks somebody works on right now.',
    flow: 'running-tasks',
    flags: ['project', 'tag', 'assignee', 'team', 'limit'],
    places: ['team'],
    locals: [local('watch', { description: 'draw it again every second until Ctrl-C', type: 'boolean' })],
    examples: ['fleet tasks', 'fleet tasks --watch', 'fleet tasks --project site'],
  },
  { word: 'ready', operation: 'task.ready' },
  { word: 'cost', operation: 'fleet.cost' },
  { word: 'blame', operation: 'fleet.blame' },
];

/** Nouns that read oddly after the program's own name; their operations are listed under their shortcuts. */
export const HIDDEN_NOUNS: readonly string[] = ['home', 'fleet'];

/** Descriptions for fields the contract leaves bare. */
export const DESCRIPTIONS: By<Readonly<Record<string, string>>> = {
  'task.complete': { as: 'name under which it was claimed; you by default' },
  'task.unclaim': { as: 'name under which it was claimed; you by default' },
};

/** Flags people reach for, listed first; the others follow in the order of the contract. */
export const LEADING: By<readonly string[]> = {
  'task.create': ['prompt', 'promptFile', 'title', 'project', 'directory', 'executor', 'model', 'after', 'priority', 'draft'],
  'task.edit': ['prompt', 'promptFile', 'title', 'project', 'executor', 'model', 'after', 'priority', 'clear'],
  'task.log': ['follow', 'tail', 'events', 'raw', 'stream'],
  'run.log': ['follow', 'tail', 'events', 'raw', 'stream'],
  'run.events': ['follow', 'tail'],
  'project.add': ['name', 'verify', 'setup', 'integration', 'targetBranch'],
  'project.set': ['name', 'verify', 'setup', 'integration', 'targetBranch', 'clear'],
};
