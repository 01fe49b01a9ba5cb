import type { Executor, Program } from '../domain/agent/executor.ts';
import { claude } from '../executors/claude/claude.ts';
import { claudeProgram } from '../executors/claude/program.ts';
import { claudeEngine } from './claude-engine.ts';
import type { Place } from './place.ts';
import { codex } from '../executors/codex/codex.ts';
import { codexProgram } from '../executors/codex/program.ts';

/** Where things are on this machine that an executor needs to launch its program. */
export interface Place {
  /** The program itself: the native one where the command on the path is only a wrapper around it. */
  readonly command: string;
  readonly node: string;
  /** A program of ours that Fleet starts like any agent, by the name it has beside the bundle. */
  ours(name: string): string;
}

/** An executor that comes with Fleet and drives a program that does not. */
export interface BuiltIn {
  readonly name: string;
  readonly program: Program;
  make(place: Place): Executor;
}

/** In the order in which people read them. */
export const BUILT_IN: readonly BuiltIn[] = [
  { name: 'claude', program: claudeProgram, make: (place) => claude(claudeEngine(place)) },
];
export const BUILT_IN: readonly BuiltIn[] = [{ name: 'codex', program: codexProgram, make: codex }];
