import type { Program } from '../../domain/agent/executor.ts';
import { isRecord } from '../agent-event.ts';
import type { Executor, Job } from '../executor.ts';

/**
 * This executor is not proved with the real program, which is in no package registry. Only its command line, and that it prints
 * text, are known.
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

/** Linux allows at most 128 KB in one argument. */
const longestArgumentBytes = 100 * 1024;
const summaryCharacters = 500;

/** The headless Antigravity CLI. Its own settings choose the model; it does not report tokens or sessions. */
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
  // The program reports the end of its work by its exit code only.
  exit: (state, code) => {
    const said = isRecord(state) && typeof state['said'] === 'string' ? state['said'] : '';
    return code === 0 && said !== '' ? [{ type: 'ended', verdict: 'succeeded', summary: said }] : [];
  },
});

function promptOf({ systemPrompt, prompt, promptFile }: Job): string {
  const text = systemPrompt ? `${systemPrompt}\n\n${prompt}` : prompt;
  const fitting = Buffer.byteLength(text) <= longestArgumentBytes ? text : `Read the file ${promptFile} and do what it says.`;
  return fitting.replaceAll('\0', '\ufffd');
}
