import { acpExecutor } from '../acp-client/acp-client.ts';
import type { Executor } from '../executor.ts';

/** What is started where nobody says what to start; there is no such program, and its run says so. */
const NOBODY = 'acp';

/** Any agent of the Agent Client Protocol, for once: the extra arguments of the task are its program and what that is given. */
export const acp: Executor = acpExecutor({
  name: 'acp',
  // Of a program that nobody has described it is not known what a second prompt does, nor whether it asks before everything.
  can: { resume: true, fork: false, steer: false, ask: true, usage: true, context: true, mcp: true, tools: false },
  login: 'the command of its own that signs it in',
  modelAtLaunch: false,
  launch: ({ extraArgs: [command = NOBODY, ...args] }) => ({ command, args, env: {}, files: [] }),
});
