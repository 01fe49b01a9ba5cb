import { basename, dirname, join } from 'node:path';

/**
 * A path that an agent can write at or below, apart from its root: a directory that Fleet itself made. No text on purpose,
 * so that the compiler refuses it wherever `node:fs` wants a path. `read-safely.ts`, `write-safely.ts` and `file-ops.ts`
 * take it; `npm run check` refuses every other way to its text.
 */
class OpaquePath {
  readonly #root: string;
  readonly #relative: string;

  constructor(root: string, relative: string) {
    this.#root = root;
    this.#relative = relative;
  }

  static partsOf(path: OpaquePath): AgentPathParts {
    return { root: path.#root, relative: path.#relative };
  }

  /** In a template the compiler takes anything. */
  [Symbol.toPrimitive](): never {
    throw new TypeError('a path that an agent can write is no text: see platform/agent-path');
  }
}

interface AgentPathParts {
  readonly root: string;
  readonly relative: string;
}

export type AgentPath = OpaquePath;

/** `relative` as in `read-safely.ts`: plain names with slashes between them, `''` for the root itself. */
export const agentPath = (root: string, relative: string): AgentPath => new OpaquePath(root, relative);

/** What lies below a path of which an agent may have made anything. */
export function below(path: AgentPath, name: string): AgentPath {
  const { root, relative } = partsOf(path);
  return agentPath(root, relative === '' ? name : `${relative}/${name}`);
}

/** A file of a directory that has a name of its own in a place of Fleet's: `runs/ID/out` as what lies below `runs`. */
export const belowPlace = (path: string): AgentPath =>
  agentPath(dirname(dirname(path)), `${basename(dirname(path))}/${basename(path)}`);

/** A file in a directory that only Fleet or its owner chooses. */
export const inDirectory = (path: string): AgentPath => agentPath(dirname(path), basename(path));

/** For what reads, writes and removes safely, and for nobody else. */
export const partsOf = OpaquePath.partsOf;

/** As text, to be shown to people or given to another process; nothing is read or written by it here. */
export function pathForArguments(path: AgentPath): string {
  const { root, relative } = partsOf(path);
  return join(root, relative);
}
