/**
 * Files of a repository that tell agents and editors what to run, whom to ask and what is allowed. Whoever works in a
 * sandbox may read those that are there, and can neither change them nor make one: what it left there would be obeyed by
 * the next program outside.
 */
export const SETTINGS_DIRECTORIES: readonly string[] = [
  ...[
    '.claude',
    '.codex',
    '.gemini',
    '.opencode',
    '.qwen',
    '.copilot',
    '.agents',
    '.cursor',
    '.antigravity',
    '.windsurf',
    '.zed',
  ],
  ...['.vscode', '.devcontainer', '.husky', '.githooks'],
];
export const SETTINGS_FILES: readonly string[] = ['.mcp.json', 'opencode.json', 'opencode.jsonc', '.envrc'];

/** Of a git directory: what names programs to run, or leads elsewhere. */
export const GIT_SETTINGS: readonly string[] = ['config', 'config.worktree', 'hooks', 'info'];
