/**
 * Starts git for an engine whose own memory would make every start block its loop: the kernel copies the page tables of
 * whoever forks. Small; when whoever it works for is gone, it ends, and its gits with it. If that one was killed with the lock
 * on the index of a checkout in its hand, the move it was at is ended first and the lock taken away.
 */
import type { Answer, GitAsked, GitStopped, Guarded, GuardedMove } from './git-helper-client.ts';
import { endAllGits, spawnGit } from './spawn-git.ts';

const guarded = new Map<number, GuardedMove>();
const going = new Map<number, AbortController>();

process.on('message', (message: GitAsked | GitStopped | Guarded) => {
  if ('call' in message) answer(message);
  else if ('stop' in message) going.get(message.stop)?.abort();
  else if (message.move) guarded.set(message.guard, message.move);
  else guarded.delete(message.guard);
});
process.on('disconnect', () => {
  endAllGits();
  void endMoves().finally(() => process.exit(0));
});
// A key press in the terminal of whoever it works for is not for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

function answer({ n, call }: GitAsked): void {
  const controller = new AbortController();
  going.set(n, controller);
  void spawnGit(call, controller.signal)
    .then(
      (ended) => say({ n, ended }),
      (error: unknown) => say({ n, why: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => going.delete(n));
}

/** Nobody listens any more once whoever asked is gone. */
function say(what: Answer): void {
  if (process.connected) process.send?.(what, undefined, undefined, () => undefined);
}

async function endMoves(): Promise<void> {
  if (guarded.size === 0) return;
  // Loaded only now: as long as all is well, the helper stays small.
  const { endDeadMove } = await import('../locks/dead-move.ts');
  await Promise.allSettled([...guarded.values()].map(({ checkout, holder }) => endDeadMove(checkout, holder, process.env)));
}
