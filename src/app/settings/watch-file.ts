import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

const settleMs = 30;
const pollMs = 1_000;

/**
 * Calls back after the file may have changed, until stopped. The directory is watched, not the file: editors replace
 * files. A slow look at size and time stands in where watching is not possible or has silently ended.
 */
export function watchFile(path: string, signal: AbortSignal, changed: () => void): void {
  if (signal.aborted) return;
  let last = '';
  let settling: NodeJS.Timeout | undefined;
  const notice = () => {
    clearTimeout(settling);
    settling = setTimeout(changed, settleMs).unref();
  };
  const look = async () => {
    const now = await fingerprint(path);
    if (now !== last && !signal.aborted) notice();
    last = now;
  };
  const poll = setInterval(() => void look(), pollMs).unref();
  const close = watchDirectory(path, notice);
  void look();
  signal.addEventListener('abort', () => {
    clearInterval(poll);
    clearTimeout(settling);
    close();
  });
}

function watchDirectory(path: string, notice: () => void): () => void {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === basename(path)) notice();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

const fingerprint = (path: string): Promise<string> =>
  stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino}/${size}/${mtimeMs}`,
    () => 'none',
  );
