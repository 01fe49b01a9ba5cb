import type { Executor, Step } from '../executor.ts';

const summaryCharacters = 500;

/**
 * Runs a project's set-up or verify command in a shell, because people write such commands for a shell. Only the exit code says
 * how it went.
 */
export const shell: Executor = {
  name: 'fleet.shell',
  can: { resume: false, fork: false, steer: false, ask: false, usage: false, context: false, mcp: false, tools: false },
  prints: 'text',
  launch: ({ prompt, extraArgs }) => ({
    command: '/bin/sh',
    args: ['-c', prompt, 'fleet', ...extraArgs],
    env: {},
    files: [],
    mode: 'oneway',
  }),
  begin: () => ({ state: '', events: [], send: [] }),
  step: (state, line): Step => ({
    state: line.trim() === '' ? state : line.slice(0, summaryCharacters),
    events: [{ type: 'said', text: line }],
    send: [],
  }),
  say: () => undefined,
  answer: () => undefined,
  exit: (state, code) => [
    code === 0
      ? { type: 'ended', verdict: 'succeeded', summary: typeof state === 'string' ? state : '' }
      : { type: 'ended', verdict: 'refused', summary: code > 128 ? `it was ended by signal ${code - 128}` : `exit code ${code}` },
  ],
};
