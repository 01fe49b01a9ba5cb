import type { Call } from '../../contract/call.ts';
import { contract } from '../../contract/index.ts';
import type { CliConnection, Io } from '../../surfaces/cli/deps.ts';
import { ensureEngine } from '../background.ts';
import { connect } from '../connect/connect.ts';

const COMMANDS: ReadonlySet<string> = new Set(contract.filter(({ kind }) => kind === 'command').map(({ name }) => name));
/** An engine that was there a moment ago is there. */
const TRUSTED_MS = 5_000;

/**
 * The way to the operations for a program that lives long: whoever wants something done, or waits for it, finds an engine
 * that does it. The engine is a process of its own and outlives us.
 */
export function wakingCall(io: Io, say: (text: string) => void): CliConnection {
  const isRemote = Boolean(io.env['FLEET_URL']);
  let awakeAt = Number.NEGATIVE_INFINITY;
  let waking: Promise<void> | undefined;
  let connection: Promise<CliConnection> | undefined;
  const left: Promise<CliConnection>[] = [];
  const connected = () => (connection ??= connect(io.env, io.cwd));

  const wake = async (): Promise<void> => {
    const started = await ensureEngine(io);
    awakeAt = io.elapsed();
    if (started === undefined) return;
    say(started);
    // What we knew was without it. Calls may still be on their way there.
    if (connection) left.push(connection);
    connection = undefined;
  };

  const call = async (...[name, input, options]: Parameters<Call>) => {
    const isWork = COMMANDS.has(name) || name === 'task.wait';
    if (!isRemote && isWork && io.elapsed() - awakeAt > TRUSTED_MS) {
      waking ??= wake().finally(() => {
        waking = undefined;
      });
      await waking;
    }
    return (await connected()).call(name, input, options);
  };
  return {
    call: call as Call,
    close: async () => {
      await waking?.catch(() => undefined);
      for (const one of connection ? [...left, connection] : left) await (await one).close();
    },
  };
}
