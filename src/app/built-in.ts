import type { Executor, Program } from '../domain/agent/executor.ts';
import { agy, agyProgram } from '../executors/agy/agy.ts';
import { claude } from '../executors/claude/claude.ts';
import { claudeProgram } from '../executors/claude/program.ts';
import { codex } from '../executors/codex/codex.ts';
import { codexProgram } from '../executors/codex/program.ts';
import { copilot, copilotProgram } from '../executors/copilot/copilot.ts';
import { gemini, geminiProgram } from '../executors/gemini/gemini.ts';
import { opencode, opencodeProgram } from '../executors/opencode/opencode.ts';
import { qwen, qwenProgram } from '../executors/qwen/qwen.ts';
import { claudeEngine } from './claude-engine.ts';
import type { LaunchPlaces } from './launch-places.ts';

/** An executor that comes with Fleet and drives a program that does not. */
export interface BuiltIn {
  readonly name: string;
  readonly program: Program;
  make(place: LaunchPlaces): Executor;
}

/** In the order in which people read them. */
export const BUILT_IN: readonly BuiltIn[] = [
  { name: 'claude', program: claudeProgram, make: (place) => claude(claudeEngine(place)) },
  { name: 'codex', program: codexProgram, make: codex },
  { name: 'gemini', program: geminiProgram, make: ({ command }) => gemini(command) },
  { name: 'opencode', program: opencodeProgram, make: ({ command }) => opencode(command) },
  { name: 'agy', program: agyProgram, make: ({ command }) => agy(command) },
  { name: 'copilot', program: copilotProgram, make: ({ command }) => copilot(command) },
  { name: 'qwen', program: qwenProgram, make: ({ command }) => qwen(command) },
];
