/** Executors that come with Fleet. Others are files in `executors/` of the home. */
export const BUILT_IN_EXECUTORS = ['claude', 'codex', 'gemini', 'opencode', 'agy', 'acp', 'copilot', 'qwen', 'scripted'] as const;

/** The one that exists only where the owner has switched it on: what a prompt says reaches a shell. */
export const SCRIPTED = 'scripted';
export const SWITCHED_OFF = {
  why: 'is switched off here, because what a prompt says would reach a shell',
  repair: 'fleet config set scripted=true',
};

/** The one that starts whatever program the extra arguments of a task name: for the owner, and for nobody else's tasks. */
export const ANY_PROGRAM = 'acp';
