import type { FileHandle } from 'node:fs/promises';
import { belowPlace } from '../platform/agent-path.ts';
import { openSafely } from '../platform/read-safely.ts';
import { filesOf, type RunFiles } from './run-place.ts';

/** Cuts the spools of a run that has ended to this many bytes together. What it complained of keeps up to half of them. */
export async function trimSpools(run: RunFiles, bytes: number): Promise<void> {
  const files = filesOf(run);
  const out = await openSpool(files.out);
  try {
    const err = await openSpool(files.err);
    try {
      const [outBytes, errBytes] = [await sizeOf(out), await sizeOf(err)];
      const keptErr = Math.min(errBytes, Math.max(Math.floor(bytes / 2), bytes - outBytes));
      await cut(out, outBytes, bytes - keptErr);
      await cut(err, errBytes, keptErr);
    } finally {
      await err?.close();
    }
  } finally {
    await out?.close();
  }
}

/** An agent can put anything in the place of its spool: a link would make us cut another file. */
async function openSpool(path: string): Promise<FileHandle | undefined> {
  const opened = await openSafely(belowPlace(path), { write: true, alone: true });
  return 'why' in opened ? undefined : opened.file;
}

const sizeOf = async (spool: FileHandle | undefined): Promise<number> => (await spool?.stat())?.size ?? 0;

const cut = async (spool: FileHandle | undefined, size: number, kept: number): Promise<void> => {
  if (kept < size) await spool?.truncate(kept);
};
