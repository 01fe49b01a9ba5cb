import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { recordIn } from '../agent-event.ts';
import { type ClaudeFields, fieldsOf, textOf } from './fields.ts';
import { lineQueue } from './line-queue.ts';

/*
 * Runs Claude Code by its Agent SDK. The SDK owns the pipes of the program, so it must live in a process that survives a restart of
 * Fleet: this one. On its own pipes it speaks the program's lines, as the program would without the SDK.
 *
 * Arguments: the SDK's module, the program, and arguments of the program.
 */

/** The part of the SDK that is used here. The user installs the SDK; Fleet is not built with it. */
interface Sdk {
  query(needs: { prompt: AsyncIterable<unknown>; options: Readonly<Record<string, unknown>> }): Query;
}

interface Query extends AsyncIterable<unknown> {
  getContextUsage(): Promise<unknown>;
}

interface Spawned {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

type Permission = Readonly<Record<string, unknown>>;

const [module = '', program = '', ...args] = process.argv.slice(2);
const messages = lineQueue<ClaudeFields>();
const waiting = new Map<string, (answer: Permission) => void>();

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** Asks Fleet for permission with the line that the program would have printed. */
const canUseTool = (
  tool: string,
  input: ClaudeFields,
  { requestId, toolUseID, signal }: { requestId: string; toolUseID: string; signal: AbortSignal },
): Promise<Permission> =>
  new Promise((resolve) => {
    waiting.set(requestId, resolve);
    signal.addEventListener('abort', () => {
      if (waiting.delete(requestId)) print({ type: 'control_cancel_request', request_id: requestId });
      resolve({ behavior: 'deny', message: 'withdrawn' });
    });
    print({
      type: 'control_request',
      request_id: requestId,
      request: { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: toolUseID },
    });
  });

const { query } = await sdk();
const session = query({
  prompt: messages,
  options: {
    pathToClaudeCodeExecutable: program,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    canUseTool,
    stderr: (text: string) => process.stderr.write(text),
    // The arguments of the run come last, so they win.
    spawnClaudeCodeProcess: ({ command, args: own, cwd, env, signal }: Spawned) =>
      spawn(command, [...own, ...args], { cwd, env, signal, stdio: ['pipe', 'pipe', 'pipe'] }),
  },
});

/** Loads the SDK. Without it, prints a result that says what to do and that a retry would not help. */
async function sdk(): Promise<Sdk> {
  try {
    return (await import(pathToFileURL(module).href)) as Sdk;
  } catch (error) {
    const what = `the Claude Agent SDK cannot be used (${error instanceof Error ? error.message : String(error)})`;
    const repair =
      'install it with `npm install -g @anthropic-ai/claude-agent-sdk@0.3.325`, or do without: `fleet config set claude_engine=cli`';
    print({
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      startup_failure_reason: 'sdk',
      errors: [what, repair],
    });
    process.exit(1);
  }
}

createInterface({ input: process.stdin })
  .on('line', (text) => hear(recordIn(text) ?? {}))
  .on('close', () => messages.end());

function hear(line: ClaudeFields): void {
  if (line['type'] === 'user') return messages.add(line);
  const request = textOf(line['request_id']) ?? '';
  if (line['type'] === 'control_request') return void tellWindow(request);
  const { request_id, response } = fieldsOf(line['response']);
  const resolve = waiting.get(textOf(request_id) ?? '');
  waiting.delete(textOf(request_id) ?? '');
  resolve?.(fieldsOf(response));
}

/** Answers the only control request of Fleet. */
async function tellWindow(request: string): Promise<void> {
  const told = await session.getContextUsage().then(
    (response) => ({ subtype: 'success', request_id: request, response }),
    (error: unknown) => ({ subtype: 'error', request_id: request, error: String(error) }),
  );
  print({ type: 'control_response', response: told });
}

try {
  for await (const message of session) print(message);
} catch (error) {
  // The SDK throws after an error result, which is printed already and decides the verdict.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  process.stdin.destroy();
}
