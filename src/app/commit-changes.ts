import type { Store, Write } from '../store/port.ts';
import type { Commits } from './observe/commits.ts';

/** What a commit of this process has changed: a history that grew, a run, or something that is gone. */
export interface CommitChange {
  readonly of: string;
  readonly n?: number;
  readonly gone?: boolean;
}

type Heard = (news: readonly CommitChange[] | 'elsewhere') => void;

/** Tells whoever asks what every commit of this process has changed, and that another process has changed something. */
export type OnCommit = (heard: Heard, signal: AbortSignal) => void;

/**
 * The store says "look", never what: that costs everybody who waits for one thing a read for each change of any. The
 * process that commits knows more, and tells it here. It remains a hint: whoever hears it reads the rows.
 */
export const commitChangesOf =
  (store: Pick<Store, 'watch'>, commits: Commits): OnCommit =>
  (heard, signal) => {
    if (signal.aborted) return;
    const reader = (writes: readonly Write[]) => {
      const news = writes.flatMap(newsIn);
      if (news.length > 0) heard(news);
    };
    // Whoever hears it reads the rows in its own time: nothing of that is a matter of the commit.
    const stop = commits.tell(reader, () => undefined);
    signal.addEventListener('abort', stop, { once: true });
    void (async () => {
      for await (const _ of store.watch(signal, { outside: true })) heard('elsewhere');
    })().catch(() => undefined);
  };

function newsIn({ op, key }: Write): CommitChange[] {
  if (op === 'delete') return key.kind === 'journal' ? [] : [{ of: key.id, gone: true }];
  if (op !== 'put') return [];
  if (key.kind === 'run') return [{ of: key.id }];
  if (key.kind !== 'journal') return [];
  const slash = key.id.lastIndexOf('/');
  return [{ of: key.id.slice(0, slash), n: Number(key.id.slice(slash + 1)) }];
}
