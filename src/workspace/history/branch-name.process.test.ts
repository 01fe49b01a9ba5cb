import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBranchName } from '../land/target.ts';
import { branchName } from './branch-name.ts';

const isValid = (name: string): boolean => {
  try {
    execFileSync('git', ['check-ref-format', `refs/heads/${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 }));

describe('the name of a branch', () => {
  it('says who works, on what, and on which task', () => {
    const id = 'task_01JZZZZZZZ4XK9T2AB';
    expect(branchName({ executor: 'claude', title: 'Fix the login page', id })).toBe('claude/fix-the-login-page/4xk9t2ab');
    expect(branchName({ executor: 'claude', title: '../-@{x}..lock .lock', id })).toBe('claude/x-lock-lock/4xk9t2ab');
    expect(branchName({ executor: 'my/agent', title: 'Größe ändern: 日本語', id })).toBe('my-agent/größe-ändern-日本語/4xk9t2ab');
    expect(branchName({ executor: '', title: '///', id: '' })).toBe('agent/task/task');
  });

  it('is valid for git whatever the title is', () => {
    fc.assert(
      fc.property(text, text, text, (executor, title, id) => {
        const name = branchName({ executor, title, id });
        expect(name.split('/')).toHaveLength(3);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100);
        expect(isValid(name)).toBe(true);
        expect(isBranchName(name)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('is known to be none exactly when git says so', () => {
    const hostile = fc.array(fc.constantFrom('a', '.', '/', '@', '{', '-', '..', '.lock', '~', ' ', 'é', '\\', '*', 'x'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(hostile, (parts) => {
        const name = parts.join('');
        expect(isBranchName(name)).toBe(isValid(name));
      }),
      { numRuns: 200 },
    );
  });
});
