/** The content of a request of a coding agent, independent of the protocol. */
export interface ModelConversation {
  readonly tools: readonly OfferedTool[];
  /** The texts before the model's first answer, which tell conversations at the same address apart. */
  readonly opening: readonly string[];
  /** The last text of a person; `answers` and `results` came after it. */
  readonly asked: string;
  /** How many texts of a person came before it. */
  readonly turn: number;
  /** How many answers with tool calls the model has given since, without tool searches. */
  readonly answers: number;
  /** The results of its calls, oldest first. */
  readonly results: readonly ToolResult[];
}

export interface OfferedTool {
  readonly name: string;
  /** The group of the tool, in protocols that group the tools of a server. */
  readonly namespace?: string | undefined;
  readonly about: string;
  readonly schema: unknown;
  /** Set for a tool that only a JavaScript program can call: the tool that runs the program. */
  readonly inCode?: Pick<OfferedTool, 'name' | 'namespace'>;
}

export interface ToolResult {
  /** Name of the tool in the call. */
  readonly tool: string;
  readonly text: string;
}

/** One entry of a conversation, in order. */
export type ConversationEntry =
  | { readonly by: 'person'; readonly text: string }
  | { readonly by: 'model'; readonly call?: { readonly id?: string | undefined; readonly name: string } }
  | { readonly by: 'tool'; readonly id?: string | undefined; readonly tool?: string | undefined; readonly text: string };

/** Tools with which a model finds further tools. No scenario names them. */
const LOOK_UP = ['ToolSearch', 'tool_search'] as const;

export function conversationOf(heard: readonly ConversationEntry[], tools: readonly OfferedTool[]): ModelConversation {
  const entries = heard.flatMap((entry) => said(entry));
  const last = entries.findLastIndex(({ by }) => by === 'person');
  const since = entries.slice(last + 1);
  const asked = entries[last];
  const names = new Map(since.flatMap((entry) => (entry.by === 'model' && entry.call ? [[entry.call.id, entry.call.name]] : [])));
  return {
    tools,
    opening: openingOf(entries),
    asked: asked?.by === 'person' ? asked.text : '',
    turn: Math.max(0, entries.filter(({ by }, at) => by === 'person' && entries[at - 1]?.by !== 'person').length - 1),
    answers: answersIn(since),
    results: since.flatMap((entry) =>
      entry.by === 'tool' ? [{ tool: entry.tool ?? names.get(entry.id) ?? '', text: entry.text }] : [],
    ),
  };
}

/** Reminders that agents insert into messages of a person. */
const REMINDERS = /<(system-reminder|session_context|environment_context|current_datetime|reminder)>.*?<\/\1>\s*/gs;

function said(entry: ConversationEntry): ConversationEntry[] {
  if (entry.by !== 'person') return [entry];
  const text = entry.text.replaceAll(REMINDERS, '').trim();
  return text === '' ? [] : [{ by: 'person', text }];
}

function openingOf(entries: readonly ConversationEntry[]): readonly string[] {
  const end = entries.findIndex(({ by }) => by !== 'person');
  const before = end === -1 ? entries : entries.slice(0, end);
  return before.map((entry) => (entry.by === 'person' ? entry.text : ''));
}

/** The id of a tool call. It holds the index of its answer, because agents reorder the calls and results of one answer. */
export const callId = (prefix: string, answer: number, unique: string): string => `${prefix}_${answer}x${unique}`;

const answerIn = (id: string | undefined): string | undefined => /_(\d+)x[0-9a-z]+$/.exec(id ?? '')?.[1];

function answersIn(since: readonly ConversationEntry[]): number {
  const seen = new Set<string>();
  let round = 0;
  let hasResult = false;
  for (const entry of since) {
    if (entry.by === 'tool') hasResult = true;
    if (entry.by !== 'model' || !entry.call) continue;
    if (hasResult) round += 1;
    hasResult = false;
    if (!isLookUp(entry.call.name)) seen.add(answerIn(entry.call.id) ?? `round ${round}`);
  }
  return seen.size;
}

export const isLookUp = (name: string): boolean => LOOK_UP.some((tool) => tool === name);
