import type { FileOp } from '../platform/file-ops.ts';

/** What supervisor and spawn helper say to each other: JSON, one per line. */
export interface SpawnRequest {
  readonly n: number;
  /** To be laid out before anything is started. */
  readonly steps: readonly FileOp[];
  /** Where a cgroup is to be made for it, if it gets one. */
  readonly cgroup?: string;
  readonly start?: SpawnProgram;
}

export interface SpawnProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly workDirectory: string;
  readonly env: Readonly<Record<string, string>>;
}

export type SpawnAnswer =
  /** The pid is there when something was started. */
  { readonly n: number; readonly pid?: number } | { readonly n: number; readonly code: string; readonly message: string };

/** Cuts a stream of text into lines and hands over each whole one. */
export function lineCutter(onLine: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}
