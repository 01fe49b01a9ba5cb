import { readFile } from 'node:fs/promises';

/** Who serves a home, and where: the text of `up.json`. A hint only: whoever reads it must still be answered. */
export interface WhereLive {
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
  readonly host: string;
  readonly version: string;
  readonly socket: string;
  readonly url?: string;
}

/** Where runs come in: the text of `agents.json`. It names nothing else. */
export type AgentsDoor = Pick<WhereLive, 'version' | 'socket'>;

export async function liveFile(path: string): Promise<WhereLive | undefined> {
  try {
    const live = JSON.parse(await readFile(path, 'utf8')) as Partial<WhereLive> | null;
    return typeof live?.socket === 'string' && typeof live.version === 'string' ? (live as WhereLive) : undefined;
  } catch {
    // Nobody serves it, or somebody writes it now.
    return undefined;
  }
}
