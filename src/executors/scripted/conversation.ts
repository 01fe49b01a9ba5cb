import { appendFileSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordIn } from '../agent-event.ts';

/** What was said so far, by the agent and to it. Like that of a real agent it outlives the run it began in. */
export interface Conversation {
  readonly session: string;
  /** What was said before this run. */
  readonly before: readonly string[];
  add(text: string): void;
}

export interface Opening {
  readonly run: string;
  readonly promptFile: string;
  /** The conversation to go on with. */
  readonly resume?: string | undefined;
  /** Go on with a copy of it, under a name of its own: the other one stays as it is. */
  readonly isFork: boolean;
}

const FILE = 'conversation.jsonl';

export function openConversation({ run, promptFile, resume, isFork }: Opening): Conversation {
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

/** It lies beside the prompt of the run that began it, unless that was so long ago that all of it is gone. */
function fileOf(session: string, promptFile: string): string | undefined {
  const [, run] = /^scripted-(\w[\w-]*)$/.exec(session) ?? [];
  const directory = run === undefined ? undefined : join(dirname(dirname(promptFile)), run);
  return directory !== undefined && existsSync(directory) ? join(directory, FILE) : undefined;
}

/** A crash may have cut a line off. */
function saidIn(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => recordIn(line)?.['text'] ?? [])
    .map(String);
}
