/** Executors that come with Fleet. Others are files in `executors/` of the home. */
export const BUILT_IN_EXECUTORS = ['claude', 'codex', 'gemini', 'opencode', 'agy', 'acp', 'copilot', 'qwen', 'scripted'] as const;
