import type { WrittenQuestion } from '../../domain/question/page.ts';
import type { QuestionId, RunId, TaskId } from '../../domain/values.ts';
import type { EngineDeps } from '../deps.ts';

/** The pages Q&A.md of this home. They belong to agents and people as much as to us: anything may stand there. */
export interface QuestionPages {
  /** Changes whenever the page does; undefined where there is none. A glance, made often. */
  stamp(taskId: TaskId): string | undefined;
  /** Undefined where there is none that can be read. */
  read(taskId: TaskId): Promise<string | undefined>;
  /** Replaces the page if it still says `before`; whether it does now say `after`. */
  replace(taskId: TaskId, before: string, after: string): Promise<boolean>;
}

export interface QuestionDeps extends Pick<EngineDeps, 'store' | 'now' | 'elapsed' | 'host' | 'commitFeed'> {
  readonly pages: QuestionPages;
  /** Asks in the name of the run, or of the page itself where no run is left; the same words are the same question. */
  ask(written: WrittenQuestion, about: { readonly taskId: TaskId; readonly runId?: RunId | undefined }): Promise<QuestionId>;
  /** Answers in the name of the page. Refused once somebody else has. */
  answer(questionId: QuestionId, text: string): Promise<void>;
  log(event: string, fields: Record<string, unknown>): void;
}
