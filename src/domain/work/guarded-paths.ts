import { pathsMatching } from './path-patterns.ts';

/**
 * Names in a repository that decide which programs others run, whom they ask and what they allow. One list for both uses:
 * a change to any of them never lands without a person, and where a sandbox works in a directory of the user's own, those
 * that programs obey as soon as the directory is opened can be read and not written.
 *
 * A name stands for a file, a directory with everything below it, or a link. A slash at its end only says what it usually is.
 */
const OBEYED_WHEN_OPENED = {
  agents: [
    '.claude/',
    '.codex/',
    '.gemini/',
    '.opencode/',
    '.qwen/',
    '.copilot/',
    '.agents/',
    '.cursor/',
    '.antigravity/',
    '.windsurf/',
    '.continue/',
    '.roo/',
    '.kiro/',
    '.amazonq/',
    '.augment/',
    '.clinerules',
    '.crush.json',
    '.factory/',
    '.junie/',
    '.trae/',
    '.mcp.json',
    'crush.json',
    'opencode.json',
    'opencode.jsonc',
    '.aider.conf.yml',
  ],
  editors: [
    '.vscode/',
    '.devcontainer/',
    '.devcontainer.json',
    '.idea/',
    '.zed/',
    '.vs/',
    '.helix/',
    '.exrc',
    '.lvimrc',
    '.nvim.lua',
    '.nvimrc',
    '.vimrc',
    '.dir-locals.el',
  ],
  shells: ['.autoenv', '.envrc', '.mise/', '.mise.local.toml', '.mise.toml', '.tool-versions', 'mise.local.toml', 'mise.toml'],
  hooks: ['.husky/', '.githooks/', 'lefthook.yml', '.lefthook.yml', '.pre-commit-config.yaml'],
} as const;

const OBEYED_LATER = {
  git: ['.git', '.gitmodules', '.gitattributes', '.gitconfig', '.lfsconfig'],
  ci: [
    '.github/',
    '.gitlab/',
    '.gitlab-ci.yml',
    '.gitea/',
    '.forgejo/',
    '.circleci/',
    '.buildkite/',
    '.woodpecker/',
    '.woodpecker.yml',
    '.travis.yml',
    '.drone.yml',
    'Jenkinsfile',
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
  ],
  packages: [
    '.npmrc',
    '.pnpmfile.cjs',
    '.pnpmfile.mjs',
    '.yarnrc*',
    '.yarn/',
    'bunfig.toml',
    '.cargo/',
    '.bundle/',
    '.mvn/',
    'pip.conf',
    'nuget.config',
    'gradle-wrapper.properties',
    'gradle-wrapper.jar',
  ],
  locks: [
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'bun.lockb',
    'Cargo.lock',
    'poetry.lock',
    'uv.lock',
    'Gemfile.lock',
    'composer.lock',
    'go.sum',
  ],
} as const;

/** Patterns of everything that never lands unseen, unless the user's own list says otherwise. */
export const GUARDED: readonly string[] = [...Object.values(OBEYED_WHEN_OPENED), ...Object.values(OBEYED_LATER)].flat();

/** In a list of the user's: all of `GUARDED`, besides what else it names. */
export const ALL_GUARDED = 'default';

export interface MaskedName {
  readonly name: string;
  /** What stands in its place where it is absent. */
  readonly of: 'file' | 'directory';
}

/** What must not be left behind in a directory that programs of the user's open. */
export const MASKED: readonly MaskedName[] = Object.values(OBEYED_WHEN_OPENED)
  .flat()
  .map((name) => (name.endsWith('/') ? { name: name.slice(0, -1), of: 'directory' } : { name, of: 'file' }));

/** The paths among these that a pattern guards, as file, directory or link; see `pathsMatching`. */
export const guardedAmong = (paths: readonly string[], patterns: readonly string[]): string[] =>
  pathsMatching(
    paths,
    patterns.flatMap((pattern) => (pattern === ALL_GUARDED ? GUARDED : [pattern])),
  );
