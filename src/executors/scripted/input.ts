import { recordIn } from '../agent-event.ts';
import { print, say } from './output.ts';
import { StepFailed } from './step-failed.ts';

/** The input of a two-way agent. Every wait fails if the input ends. */
export interface AgentInput {
  started(): Promise<void>;
  answerTo(request: string): Promise<string>;
  /** Resolves after this many messages since the start. */
  messages(count: number): Promise<void>;
  silence(): Promise<void>;
}

/** Reads input lines. `told` gets the text of every message. */
export function openInput(input: NodeJS.ReadableStream, told: (text: string) => void): AgentInput {
  const heard = { started: false, messages: 0, ended: false, answers: new Map<string, string>(), asked: new Set<string>() };
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  onLines(input, (line) => {
    take(line, heard, told);
    wake();
  });
  input.on('end', () => {
    heard.ended = true;
    wake();
  });
  const until = <T>(look: () => T | undefined, what: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const attempt = (): void => {
        const found = look();
        if (found === undefined && !heard.ended) return;
        waiting.delete(attempt);
        if (found === undefined) reject(new StepFailed(`the input ended before ${what}`));
        else resolve(found);
      };
      waiting.add(attempt);
      attempt();
    });
  return {
    started: async () => void (await until(() => heard.started || undefined, 'the start')),
    messages: async (count) => void (await until(() => heard.messages >= count || undefined, `message ${count}`)),
    silence: async () => void (await until(() => heard.ended || undefined, 'its end')),
    answerTo: (request) => {
      heard.asked.add(request);
      return until(() => heard.answers.get(request), 'an answer');
    },
  };
}

interface Heard {
  started: boolean;
  messages: number;
  readonly answers: Map<string, string>;
  readonly asked: ReadonlySet<string>;
}

/** Handles one line. Prints anything that should not happen, such as a second answer, because tests look for it. */
function take(line: string, heard: Heard, told: (text: string) => void): void {
  const said = recordIn(line);
  if (said?.['type'] === 'start') {
    if (heard.started) say('started twice');
    heard.started = true;
  } else if (said?.['type'] === 'message' && typeof said['n'] === 'number') {
    heard.messages += 1;
    told(String(said['text']));
    print({ type: 'heard', n: said['n'] });
    say(`message ${said['n']}: ${String(said['text'])}`);
  } else if (said?.['type'] === 'answer' && typeof said['request'] === 'string') {
    const request = said['request'];
    if (heard.answers.has(request) || !heard.asked.has(request)) say(`unexpected answer to ${request}`);
    else heard.answers.set(request, String(said['text']));
  } else {
    say(`unknown input: ${line.slice(0, 200)}`);
  }
}

function onLines(input: NodeJS.ReadableStream, take: (line: string) => void): void {
  let open = '';
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    const lines = (open + chunk).split('\n');
    open = lines.pop() ?? '';
    lines.forEach(take);
  });
}
