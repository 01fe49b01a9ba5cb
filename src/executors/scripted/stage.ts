import type { Conversation } from './conversation.ts';
import type { Ear } from './ear.ts';

/** The state that the steps of one scenario share. */
export interface Stage {
  readonly run: string;
  readonly attempt: number;
  /** Whether the prompt has messages since the agent last worked. */
  readonly told: boolean;
  readonly resultFile: string | undefined;
  /** Absent for a one-way agent. */
  readonly ear: Ear | undefined;
  readonly conversation: Conversation;
  lastSaid: string;
  report: unknown;
  asked: number;
  tools: number;
}
