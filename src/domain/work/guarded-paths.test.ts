import { describe, expect, it } from 'vitest';
import { GUARDED, guardedAmong, MASKED } from './guarded-paths.ts';

const isGuarded = (path: string, patterns: readonly string[]): boolean => guardedAmong([path], patterns).length > 0;

describe('guarded paths', () => {
  const patterns = ['.github/', 'Jenkinsfile', '.env*', 'deploy/**/*.sh', '/only/here'];
  it.each([
    ['.github/workflows/ci.yml', true],
    ['docs/.github/x', true],
    ['.github', true],
    ['.GitHub/workflows/ci.yml', true],
    ['.github ./x', true],
    ['.git\u200chub/x', true],
    ['.githubs/x', false],
    ['a.github/x', false],
    ['ci/Jenkinsfile', true],
    ['ci/jenkinsfile', true],
    ['Jenkinsfile/x', true],
    ['Jenkinsfile.md', false],
    ['.env.local', true],
    ['src/.env', true],
    ['deploy/run.sh', true],
    ['deploy/a/b/run.sh', true],
    ['deploy/run.txt', false],
    ['other/deploy/run.sh', false],
    ['only/here', true],
    ['not/only/here', false],
    ['src/index.ts', false],
  ])('%s: %s', (path, guarded) => expect(isGuarded(path, patterns)).toBe(guarded));

  it('include the files that agents, editors, shells, hooks, builds and package managers obey, at any depth [T31]', () => {
    const names = [
      '.claude',
      '.husky',
      '.mcp.json',
      '.envrc',
      '.cursor',
      '.vscode',
      '.devcontainer',
      '.gitmodules',
      '.npmrc',
      '.yarnrc.yml',
    ];
    for (const name of [...names, '.gitattributes', '.github', '.idea', '.cargo', 'yarn.lock'])
      for (const path of [name, `${name}/x`, `sub/${name}`, `a/b/${name.toUpperCase()}/c`])
        expect([path, isGuarded(path, GUARDED)]).toEqual([path, true]);
    for (const path of ['src/index.ts', 'package.json', 'AGENTS.md', 'README.md', 'claude/x', 'docs/github/x'])
      expect([path, isGuarded(path, GUARDED)]).toEqual([path, false]);
  });

  it('include everything that a sandbox masks', () => {
    for (const { name, of } of MASKED)
      expect([name, isGuarded(of === 'file' ? name : `${name}/x`, GUARDED)]).toEqual([name, true]);
    expect(MASKED).toEqual(
      expect.arrayContaining([
        { name: '.claude', of: 'directory' },
        { name: '.mcp.json', of: 'file' },
      ]),
    );
  });

  it('are the list of the user if there is one, and the default list too if that names `default`', () => {
    expect(isGuarded('.claude', ['billing/'])).toBe(false);
    expect(isGuarded('.claude', ['billing/', 'default'])).toBe(true);
    expect(isGuarded('src/billing/x', ['billing/', 'default'])).toBe(true);
  });
});
