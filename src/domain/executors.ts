/** Executors that come with Fleet. Users add others as files in `executors/` of the home. */
export const BUILT_IN_EXECUTORS = ['claude', 'codex', 'gemini', 'opencode', 'agy', 'acp', 'copilot', 'qwen', 'scripted'] as const;

/** Off unless the owner switches it on, because its prompts become shell commands. */
export const SCRIPTED_EXECUTOR = 'scripted';
export const SCRIPTED_IS_OFF = {
  why: 'is switched off here, because what a prompt says would reach a shell',
  repair: 'fleet config set scripted=true',
};

/** Starts any program that the extra arguments of a task name, so only tasks of the owner may use it. */
export const ANY_PROGRAM_EXECUTOR = 'acp';
