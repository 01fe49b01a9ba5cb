/** What a request of a coding agent shows of itself, whatever protocol it speaks. */
export interface Conversation {
  readonly tools: readonly OfferedTool[];
  /** What the agent was told last by a person; everything below came after it. */
  readonly asked: string;
  /** How many answers the model has given since. */
  readonly answers: number;
  /** What its calls came to, oldest first. */
  readonly results: readonly ToolResult[];
}

export interface OfferedTool {
  readonly name: string;
  /** Some protocols put the tools of one server under a name of their own. */
  readonly namespace?: string;
  readonly about: string;
  readonly schema: unknown;
}

export interface ToolResult {
  /** As the model called it. */
  readonly tool: string;
  readonly text: string;
}

/** What the model answers. */
export type Reply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: OfferedTool; readonly arguments: Arguments };

export type Arguments = Readonly<Record<string, unknown>>;
