import type { Call } from '../../contract/call.ts';
import { contract, type OperationName } from '../../contract/index.ts';
import { commandTable } from './command-table.ts';
import type { CliDeps, Io } from './deps.ts';
import { runCli } from './run-cli.ts';
import { NOW_MS, SAMPLES } from './views/samples.ts';

/* A terminal of strings, for tests: what was written, what was called, how it ended. */

interface Wishes {
  readonly stdin?: string;
  readonly io?: Partial<Io>;
  readonly programs?: CliDeps['programs'];
  readonly ensureEngine?: CliDeps['ensureEngine'];
  readonly inTerminal?: CliDeps['inTerminal'];
  /** Answers in place of the samples. */
  answer?(name: OperationName, input: Record<string, unknown>): unknown;
}

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly calls: readonly {
    readonly name: OperationName;
    readonly input: Record<string, unknown>;
    readonly key?: string | undefined;
  }[];
  readonly opened: readonly Io['env'][];
  readonly closed: number;
}

export const table = commandTable(contract);

export async function run(
  argv: readonly string[],
  { stdin = '', io = {}, programs = {}, ensureEngine, inTerminal, answer }: Wishes = {},
): Promise<CliRun> {
  const seen = { out: '', err: '', closed: 0 };
  let passedMs = 0;
  const calls: CliRun['calls'][number][] = [];
  const opened: Io['env'][] = [];
  const call = async (name: OperationName, input: Record<string, unknown>, options?: { key?: string }) => {
    calls.push({ name, input, key: options?.key });
    return answer?.(name, input) ?? SAMPLES[name];
  };
  const code = await runCli(argv, {
    table,
    version: '1.2.3',
    programs,
    ...(ensureEngine && { ensureEngine }),
    ...(inTerminal && { inTerminal }),
    open: async (env) => {
      opened.push(env);
      return { call: call as Call, close: async () => void (seen.closed += 1) };
    },
    io: {
      out: (text) => void (seen.out += text),
      err: (text) => void (seen.err += text),
      async *stdin() {
        yield Buffer.from(stdin);
      },
      isTty: false,
      isTyped: false,
      colour: false,
      columns: Number.POSITIVE_INFINITY,
      rows: Number.POSITIVE_INFINITY,
      cwd: '/home/you/code',
      env: { HOME: '/home/you' },
      now: () => NOW_MS + passedMs,
      elapsed: () => passedMs,
      pause: async (ms) => void (passedMs += ms),
      ...io,
    },
  });
  return { code, ...seen, calls, opened };
}
