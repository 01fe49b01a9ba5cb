import type { Conversation } from './conversation.ts';
import type { Ear } from './ear.ts';

/** What the steps of one scenario know and share. */
export interface Stage {
  readonly run: string;
  readonly attempt: number;
  /** Its prompt brings something it was told since it last worked. */
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
