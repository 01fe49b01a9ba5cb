import type { Executor, Program } from '../domain/agent/executor.ts';
import { claude } from '../executors/claude/claude.ts';
import { claudeProgram } from '../executors/claude/program.ts';
import { codex } from '../executors/codex/codex.ts';
import { codexProgram } from '../executors/codex/program.ts';
import { opencode, opencodeProgram } from '../executors/opencode/opencode.ts';
import { claudeEngine } from './claude-engine.ts';
import type { Place } from './place.ts';

/** An executor that comes with Fleet and drives a program that does not. */
export interface BuiltIn {
  readonly name: string;
  readonly program: Program;
  make(place: Place): Executor;
}

/** In the order in which people read them. */
export const BUILT_IN: readonly BuiltIn[] = [
  { name: 'claude', program: claudeProgram, make: (place) => claude(claudeEngine(place)) },
  { name: 'codex', program: codexProgram, make: codex },
  { name: 'opencode', program: opencodeProgram, make: ({ command }) => opencode(command) },
];
