import type { Call } from '../../contract/call.ts';
import type { RunId } from '../../domain/values.ts';
import type { WebDeps } from '../http/web.ts';

/** Something this process has just committed: a new entry in the history of a thing, a row that changed, or one that is gone. */
export interface CommitNews {
  /** Its id: `task_…`, `run_…`, `question_…`. */
  readonly of: string;
  readonly n?: number;
  readonly gone?: boolean;
}

/** What the live streams are given besides what every surface behind the gate has. */
export interface LiveDeps extends Pick<WebDeps, 'identify' | 'callAs' | 'rules' | 'elapsed' | 'log'> {
  /** Reads for all followers of a topic at once; each of them was asked for its own right to it. */
  readonly owner: Call;
  /** `elsewhere`: another process has changed something, and nobody knows what. */
  onNews(heard: (news: readonly CommitNews[] | 'elsewhere') => void, signal: AbortSignal): void;
  readonly output: {
    read(
      runId: RunId,
      stream: 'out' | 'err',
      place: { readonly after: number; readonly lines: number; readonly final: boolean; readonly isEnd?: boolean },
    ): Promise<{ readonly items: readonly OutputLine[]; readonly next: number }>;
    /** Calls back whenever a run may have printed something; answers how to stop that. */
    follow(runId: RunId, stirred: () => void): () => void;
  };
}

interface OutputLine {
  readonly at: number;
  readonly text: string;
  readonly dropped?: number;
}
