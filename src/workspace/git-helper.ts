/**
 * Starts git for an engine whose own memory would make every start block its loop: the kernel copies the page tables of
 * whoever forks. Small, and without state; when whoever it works for is gone, it ends, and its gits with it.
 */
import type { GitAsked } from './git-hand.ts';
import { endAllGits, spawnGit } from './spawn-git.ts';

process.on('message', ({ n, call }: GitAsked) => {
  void spawnGit(call).then(
    (ended) => process.send?.({ n, ended }),
    (error: unknown) => process.send?.({ n, why: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => {
  endAllGits();
  process.exit(0);
});
// A key press in the terminal of whoever it works for is not for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
