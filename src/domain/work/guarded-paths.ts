import { pathsMatching } from './path-patterns.ts';

/**
 * Names in a repository that decide which programs other people's tools run, contact and allow. The list has two uses: a change
 * to any of them never lands without a person; and in a directory of the user's own, a sandbox cannot write those that programs
 * obey as soon as they open the directory.
 *
 * A name stands for a file, a directory with everything below it, or a link. A trailing slash only says that it usually is a
 * directory.
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

/** The default patterns of files whose changes never land without a person. */
export const GUARDED: readonly string[] = [...Object.values(OBEYED_WHEN_OPENED), ...Object.values(OBEYED_LATER)].flat();

/** In the user's list: stands for all of `GUARDED`. */
export const ALL_GUARDED = 'default';

export interface MaskedName {
  readonly name: string;
  /** What the sandbox mounts in its place if it is absent. */
  readonly of: 'file' | 'directory';
}

/** Names that a sandbox must not create or change in a directory that the user's programs open. */
export const MASKED: readonly MaskedName[] = Object.values(OBEYED_WHEN_OPENED)
  .flat()
  .map((name) => (name.endsWith('/') ? { name: name.slice(0, -1), of: 'directory' } : { name, of: 'file' }));

/** The paths that a pattern guards, as file, directory or link; see `pathsMatching`. */
export const guardedAmong = (paths: readonly string[], patterns: readonly string[]): string[] =>
  pathsMatching(
    paths,
    patterns.flatMap((pattern) => (pattern === ALL_GUARDED ? GUARDED : [pattern])),
  );
