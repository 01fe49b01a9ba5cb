import type { ExecutorView } from '../contract/executor.ts';
import type { Io } from '../surfaces/cli/surroundings.ts';
import { connect } from './connect/connect.ts';

/**
 * As the engine sees them, because it is the engine that starts them: its environment may hold another key, and
 * another PATH. Without an engine, as this process does.
 */
export async function executorsFor(io: Io): Promise<{ items: readonly ExecutorView[]; problem?: string }> {
  const connection = await connect(io.env, io.cwd);
  try {
    return await connection.call('executor.list', {});
  } catch (error) {
    return { items: [], problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await connection.close();
  }
}
