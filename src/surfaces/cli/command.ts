import type { OperationName } from '../../contract/index.ts';

/** One value a command takes, as a flag or by its place. All of it is JSON: the build embeds the table. */
export interface CommandValue {
  /** `max-turns` for a flag, `ID` for a place. */
  readonly name: string;
  /** Field of the operation's input; for a local value, its name in the flow. */
  readonly field: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'json';
  readonly repeated: boolean;
  readonly required: boolean;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  /** A path: made absolute here, because a server may live in another directory. */
  readonly isPath?: true;
  /** Also `--no-…`: three answers, of which one is to say nothing. */
  readonly negatable?: true;
  /** For the flow of this command only; never part of the operation's input. */
  readonly local?: true;
}

export interface Command {
  readonly path: readonly string[];
  readonly operation: OperationName;
  readonly kind: 'query' | 'command' | 'stream';
  readonly summary: string;
  readonly positionals: readonly CommandValue[];
  readonly flags: readonly CommandValue[];
  readonly examples: readonly string[];
  /** Code in `flows/` that carries the command out, instead of one call. */
  readonly flow?: FlowName;
  /** One word for an operation, like `fleet status`. */
  readonly shortcut?: true;
  /** Works, and is listed under its shortcut. */
  readonly hidden?: true;
}

export interface CommandTable {
  readonly commands: readonly Command[];
}

export const FLOW_NAMES = [
  'task-create',
  'task-diff',
  'task-edit',
  'task-export',
  'task-import',
  'task-log',
  'task-open',
  'task-wait',
  'run-log',
  'run-show',
  'running-tasks',
] as const;
export type FlowName = (typeof FLOW_NAMES)[number];
