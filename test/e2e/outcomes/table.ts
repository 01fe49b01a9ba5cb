/* Every meaning an agent can have, by every channel it can speak through: what it does, and what becomes of its task. */

export const MEANINGS = ['succeeded', 'blocked', 'failed', 'asks', 'asks and leaves', 'no changes', 'half work'] as const;
export type Meaning = (typeof MEANINGS)[number];
export const CHANNELS = ['mcp', 'file', 'answer', 'page', 'exit'] as const;
export type Channel = (typeof CHANNELS)[number];
export const EXECUTORS = ['scripted', 'custom', 'acp', 'claude cli', 'claude sdk', 'codex'] as const;
export type ExecutorKind = (typeof EXECUTORS)[number];

export type Act =
  | { readonly sh: string }
  | { readonly mcp: string; readonly with: Readonly<Record<string, unknown>> }
  /** Its last words. */
  | { readonly say: string }
  | { readonly exit: number };

/** What becomes of the task; `asks` tells whether somebody answers while it runs. */
export type Fate = 'done' | 'blocked: reason' | 'failed: reason' | 'failed' | 'blocked: question' | 'blocked: nothing changed';

export interface Cell {
  /** Until it has been answered, and after that. */
  readonly first: readonly Act[];
  readonly resumed: readonly Act[];
  readonly fate: Fate;
}

export const REASON = 'the colour is unknown';
export const QUESTION = 'Which colour?';

const whole: Act = { sh: 'echo whole > whole-$FLEET_RUN_ID.txt' };
const half: Act = { sh: 'echo half > half-$FLEET_RUN_ID.txt' };
const ask = (waitSeconds: number): Act => ({ mcp: 'ask_human_question', with: { text: QUESTION, options: [], waitSeconds } });
const writesQuestion: Act = { sh: `printf '\\n## Question\\n${QUESTION}\\n' >> "$FLEET_ARTIFACT_DIR/Q&A.md"` };
const readsAnswer: Act = { sh: 'until grep -q "^> blue" "$FLEET_ARTIFACT_DIR/Q&A.md"; do sleep 0.2; done' };
const over: Act = { say: 'That is all.' };

const reports = (channel: Channel, status: string): readonly Act[] => {
  const report = { status, summary: REASON };
  if (channel === 'mcp') return [{ mcp: 'submit_report', with: report }, over];
  if (channel === 'answer') return [{ say: JSON.stringify(report) }];
  return [{ sh: `printf '%s' '${JSON.stringify(report)}' > "$FLEET_RUN_DIR/result.json"` }, over];
};

const NO_WORD = 'no exit code means that';
const NO_QUESTION = 'a report carries no question';
const ONLY_QUESTIONS = 'the page holds questions alone';

/** Or why there is no such cell, whatever the executor. */
function saidBy(channel: Channel, meaning: Meaning): Cell | string {
  const resumed = [whole, over];
  if (meaning === 'asks' || meaning === 'asks and leaves') {
    if (channel === 'exit') return NO_WORD;
    if (channel === 'file' || channel === 'answer') return NO_QUESTION;
    const waits = channel === 'mcp' ? [ask(90)] : [writesQuestion, readsAnswer];
    const leaves = [half, channel === 'mcp' ? ask(1) : writesQuestion, over];
    return meaning === 'asks'
      ? { first: [...waits, whole, over], resumed, fate: 'done' }
      : { first: leaves, resumed, fate: 'blocked: question' };
  }
  if (channel === 'page') return ONLY_QUESTIONS;
  if (channel === 'exit') return byExit(meaning);
  switch (meaning) {
    case 'succeeded':
      return { first: [whole, ...reports(channel, 'succeeded')], resumed, fate: 'done' };
    case 'blocked':
      return { first: [half, ...reports(channel, 'blocked')], resumed, fate: 'blocked: reason' };
    case 'failed':
      return { first: [half, ...reports(channel, 'failed')], resumed, fate: 'failed: reason' };
    case 'no changes':
      return { first: reports(channel, 'succeeded'), resumed, fate: 'blocked: nothing changed' };
    case 'half work':
      return channel === 'mcp'
        ? 'submit_report takes three words: who is half done says blocked'
        : { first: [half, ...reports(channel, 'partial')], resumed, fate: 'blocked: reason' };
  }
}

function byExit(meaning: Exclude<Meaning, 'asks' | 'asks and leaves'>): Cell | string {
  if (meaning === 'blocked') return NO_WORD;
  if (meaning === 'succeeded') return { first: [whole, over], resumed: [], fate: 'done' };
  if (meaning === 'no changes') return { first: [over], resumed: [], fate: 'blocked: nothing changed' };
  // Half the work and an exit with an error are the same: an accident.
  return { first: [half, { exit: meaning === 'failed' ? 3 : 137 }], resumed: [], fate: 'failed' };
}

/** Why an executor has no such cell. */
function impossible(kind: ExecutorKind, channel: Channel, meaning: Meaning): string | undefined {
  if (kind === 'scripted' && channel === 'mcp') return 'it has no MCP client';
  const isChosen = kind === 'scripted' || kind === 'custom';
  if (channel === 'exit' && !isChosen && (meaning === 'failed' || meaning === 'half work'))
    return 'its model does not choose how its program ends';
  return undefined;
}

export interface Row {
  readonly kind: ExecutorKind;
  readonly channel: Channel;
  readonly meaning: Meaning;
  readonly cell: Cell | string;
}

export const rowsOf = (kind: ExecutorKind): readonly Row[] =>
  CHANNELS.flatMap((channel) =>
    MEANINGS.map((meaning) => ({ kind, channel, meaning, cell: impossible(kind, channel, meaning) ?? saidBy(channel, meaning) })),
  );
