import { appendFileSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordIn } from '../agent-event.ts';

/** The texts said so far by and to the agent. Like a real agent's conversation, it outlives the run in which it began. */
export interface ScriptedConversation {
  readonly session: string;
  /** The texts from before this run. */
  readonly before: readonly string[];
  add(text: string): void;
}

export interface ScriptedOpening {
  readonly run: string;
  readonly promptFile: string;
  /** The conversation to resume. */
  readonly resume?: string | undefined;
  /** Resume a copy under a new name, and leave the original unchanged. */
  readonly isFork: boolean;
}

const FILE = 'conversation.jsonl';

export function openConversation({ run, promptFile, resume, isFork }: ScriptedOpening): ScriptedConversation {
  const session = resume === undefined || isFork ? `scripted-${run}` : resume;
  const other = resume === undefined ? undefined : fileOf(resume, promptFile);
  const file = isFork || other === undefined ? join(dirname(promptFile), FILE) : other;
  if (isFork && other !== undefined && existsSync(other)) copyFileSync(other, file);
  return {
    session,
    before: resume === undefined ? [] : saidIn(file),
    add: (text) => appendFileSync(file, `${JSON.stringify({ text })}\n`, { mode: 0o600 }),
  };
}

/** The file of a conversation, beside the prompt of the run that began it; undefined if that run's directory was removed. */
function fileOf(session: string, promptFile: string): string | undefined {
  const [, run] = /^scripted-(\w[\w-]*)$/.exec(session) ?? [];
  const directory = run === undefined ? undefined : join(dirname(dirname(promptFile)), run);
  return directory !== undefined && existsSync(directory) ? join(directory, FILE) : undefined;
}

/** The texts in a file. A line cut off by a crash is skipped. */
function saidIn(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => recordIn(line)?.['text'] ?? [])
    .map(String);
}
