import { describe, expect, it } from 'vitest';
import { hasTool, mayRun, mayWrite, PRESETS, toolsOf } from './tools.ts';

describe('tools of an agent [EXEC-06]', () => {
  it('come from the list, else the preset, else the kind', () => {
    expect(toolsOf({ kind: 'implement', tools: ['Read'], preset: 'full' })).toEqual(['Read']);
    expect(toolsOf({ kind: 'implement', preset: 'review' })).toEqual(PRESETS.review);
    expect(toolsOf({ kind: 'explore' })).toEqual(PRESETS.explore);
    expect(toolsOf({ kind: 'full' })).toBeUndefined();
  });

  it('allow changes of files only in presets with a writing tool', () => {
    expect(Object.entries(PRESETS).flatMap(([name, tools]) => (mayWrite(tools) ? [name] : []))).toEqual([
      'full',
      'implement',
      'test',
      'fix',
    ]);
    expect(hasTool(PRESETS.review, 'Bash')).toBe(true);
    expect(hasTool(PRESETS.implement, 'WebFetch')).toBe(false);
  });

  it.each([
    'git diff',
    'git diff HEAD~1 -- src/a.ts',
    'git log --oneline -n 5',
    `git log --format='%h %s'`,
    'git log --author="a b"',
  ])('a review may run: %s', (command) => expect(mayRun(PRESETS.review, command)).toBe(true));

  it.each([
    'git push',
    'git diff > patch',
    'git diff --output=patch',
    'git diff --output patch',
    'git log; rm -rf .',
    'git log && touch x',
    'git log | tee x',
    'git log & touch x',
    'git log $(touch x)',
    'git log "$(touch x)"',
    'git log `touch x`',
    'git log\ntouch x',
    "git log 'a\nb'",
    'git -c core.pager=touch log',
    'git diff --ext-diff',
    'git status',
    'gitx diff',
    'env git diff',
    'rm x',
    'git log \\; touch x',
    'git log "unfinished',
    '',
    '   ',
  ])('a review may not run: %s', (command) => expect(mayRun(PRESETS.review, command)).toBe(false));

  it.each([
    'git push origin main',
    'git commit -m x',
    'git branch -D main',
    'git checkout -- .',
    'git -C /elsewhere status',
    'find . -delete',
    'find . -exec rm {} +',
    'find . -fprint x',
    'ls > x',
  ])('an exploring agent may not run: %s', (command) => expect(mayRun(PRESETS.explore, command)).toBe(false));

  it.each(['git status', 'git show HEAD', 'ls -la', 'ls src/*.ts', `find . -name '*.ts'`])(
    'an exploring agent may run: %s',
    (command) => expect(mayRun(PRESETS.explore, command)).toBe(true),
  );

  it('match a pattern without a star word for word', () => {
    expect(mayRun(['Bash(make test)'], 'make test')).toBe(true);
    expect(mayRun(['Bash(make test)'], 'make test clean')).toBe(false);
    expect(mayRun(['Bash'], 'anything > at all')).toBe(true);
    expect(mayRun(undefined, 'rm -rf x')).toBe(true);
  });
});
