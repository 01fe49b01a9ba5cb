import type { Program } from '../../domain/agent/executor.ts';
import { isRecord } from '../agent-event.ts';
import type { Executor, Job } from '../executor.ts';

/**
 * Nobody has proved it with the real program, which is not in any registry of packages: its command line is known, and that
 * it prints text.
 */
export const agyProgram: Program = {
  command: 'agy',
  versionArgs: ['--version'],
  proved: 'none',
  install: 'curl -fsSL https://antigravity.google/cli/install.sh | bash',
  login: 'agy',
  keys: [],
  credentials: ['.gemini/antigravity-cli/settings.json'],
  variables: ['ANTIGRAVITY_*'],
};

/** A Linux program takes at most 128 KB in one argument. */
const longestArgumentBytes = 100 * 1024;
const summaryCharacters = 500;

/** The Antigravity CLI without a person. Its model is chosen in its own settings; it says nothing of tokens and sessions. */
export const agy = (command: string): Executor => ({
  name: 'agy',
  can: { resume: false, fork: false, steer: false, ask: false, usage: false, context: false, mcp: false, tools: false },
  program: agyProgram,
  contextLimit: 128_000,
  prints: 'text',
  launch: (job) => ({
    command,
    args: ['-p', promptOf(job), '--dangerously-skip-permissions', ...job.extraArgs],
    env: {},
    files: [],
    mode: 'oneway',
  }),
  begin: () => ({ state: { said: '' }, events: [], send: [] }),
  step: (state, line) => {
    if (line.trim() === '') return { state, events: [], send: [] };
    return { state: { said: line.slice(0, summaryCharacters) }, events: [{ type: 'said', text: line }], send: [] };
  },
  say: () => undefined,
  answer: () => undefined,
  // It has no other word for the end of its work.
  exit: (state, code) => {
    const said = isRecord(state) && typeof state['said'] === 'string' ? state['said'] : '';
    return code === 0 && said !== '' ? [{ type: 'ended', verdict: 'succeeded', summary: said }] : [];
  },
});

function promptOf({ systemPrompt, prompt, promptFile }: Job): string {
  const text = systemPrompt ? `${systemPrompt}\n\n${prompt}` : prompt;
  const told = Buffer.byteLength(text) <= longestArgumentBytes ? text : `Read the file ${promptFile} and do what it says.`;
  return told.replaceAll('\0', '\ufffd');
}
