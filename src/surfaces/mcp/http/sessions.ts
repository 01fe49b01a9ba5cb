import { randomUUID } from 'node:crypto';
import { Fault } from '../../../domain/fault.ts';
import { LIMITS } from '../../../domain/limits.ts';

/** One client over several requests, and what is to be done when it has gone. */
export interface McpSession<Kept> {
  readonly id: string;
  /** Of whom: nobody else finds it. */
  readonly owner: string;
  readonly kept: Kept;
  /** Requests and streams that are open now. */
  busy: number;
  usedAt: number;
}

interface Closable {
  close(): Promise<void>;
}

const SWEEP_MS = 60_000;

/**
 * Sessions by id, each bound to the token that opened it. There are only so many, for each token and together, and one
 * that is silent for long is ended.
 */
export function openSessions<Kept extends Closable>({ elapsed }: { elapsed(): number }) {
  const sessions = new Map<string, McpSession<Kept>>();
  let sweeping: NodeJS.Timeout | undefined;

  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    if (sessions.size === 0) {
      clearInterval(sweeping);
      sweeping = undefined;
    }
    await session?.kept.close();
  };

  const sweep = () => {
    for (const { id, busy, usedAt } of sessions.values())
      if (busy === 0 && elapsed() - usedAt > LIMITS.mcpIdleMs.value) void end(id).catch(() => undefined);
  };

  /** Somebody who opens sessions in a loop pushes out nobody but himself. */
  const makeRoom = async (owner: string): Promise<void> => {
    const own = [...sessions.values()].filter((session) => session.owner === owner);
    if (own.length >= LIMITS.mcpSessionsPerToken.value) {
      const silent = own.filter(({ busy }) => busy === 0).toSorted((a, b) => a.usedAt - b.usedAt)[0];
      if (!silent)
        throw new Fault('limit', `more than ${LIMITS.mcpSessionsPerToken.value} MCP sessions of this token are in use`);
      await end(silent.id);
    }
    if (sessions.size >= LIMITS.mcpSessions.value) sweep();
    if (sessions.size >= LIMITS.mcpSessions.value)
      throw new Fault('limit', `more than ${LIMITS.mcpSessions.value} MCP sessions: try again later`);
  };

  return {
    open: async (owner: string, make: (id: string) => Promise<Kept>): Promise<McpSession<Kept>> => {
      await makeRoom(owner);
      const id = randomUUID();
      const session = { id, owner, kept: await make(id), busy: 0, usedAt: elapsed() };
      sessions.set(id, session);
      sweeping ??= setInterval(sweep, SWEEP_MS).unref();
      return session;
    },
    /** What is another's is not there. */
    find: (id: string, owner: string): McpSession<Kept> => {
      const session = sessions.get(id);
      if (session?.owner !== owner) throw new Fault('not_found', 'no such MCP session: begin a new one with initialize');
      return session;
    },
    /** As long as the connection of this request lasts, the session is in use. */
    use: (session: McpSession<Kept>, connection: { once(event: 'close', listener: () => void): unknown }): void => {
      session.busy += 1;
      session.usedAt = elapsed();
      connection.once('close', () => {
        session.busy -= 1;
        session.usedAt = elapsed();
      });
    },
    end,
    closeAll: async (): Promise<void> => {
      await Promise.allSettled([...sessions.keys()].map(end));
    },
  };
}
