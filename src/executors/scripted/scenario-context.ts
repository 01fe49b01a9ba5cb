import type { ScriptedConversation } from './conversation.ts';
import type { AgentInput } from './input.ts';

/** The state that the steps of one scenario share. */
export interface ScenarioContext {
  readonly run: string;
  readonly attempt: number;
  /** Whether the prompt has messages since the agent last worked. */
  readonly told: boolean;
  readonly resultFile: string | undefined;
  /** Absent for a one-way agent. */
  readonly input: AgentInput | undefined;
  readonly conversation: ScriptedConversation;
  lastSaid: string;
  report: unknown;
  asked: number;
  tools: number;
}
