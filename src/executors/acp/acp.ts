import { acpExecutor } from '../acp-client/acp-client.ts';
import type { Executor } from '../executor.ts';

/** The program if the task names none. It does not exist, so the run fails with that message. */
const NO_PROGRAM = 'acp';

/** Runs any agent of the Agent Client Protocol: the extra arguments of the task are its program and arguments. */
export const acp: Executor = acpExecutor({
  name: 'acp',
  // Of an undescribed program it is unknown what a second prompt does, and whether it asks permission for every tool.
  can: { resume: true, fork: false, steer: false, ask: true, usage: true, context: true, mcp: true, tools: false },
  login: 'its own log-in command',
  modelAtLaunch: false,
  launch: ({ extraArgs: [command = NO_PROGRAM, ...args] }) => ({ command, args, env: {}, files: [] }),
});
