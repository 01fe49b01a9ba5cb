import { describe, expect, it } from 'vitest';
import { boundsOf, boundsViolation, withBoundDefaults } from './bounds.ts';

const SETTINGS = {
  bounds_role: { worker: { executors: ['claude', 'codex'], max_budget_usd: 10 } },
  bounds_team: { web: { executors: ['codex', 'gemini'], sandbox: 'required' as const, max_budget_usd: 5 } },
};
const PROJECT = { name: 'shop', maxBudgetUsd: 7 };

describe('bounds', () => {
  it('come from the role, the team and the project, each once, and all apply', () => {
    const bounds = boundsOf({ roles: ['worker', 'worker', undefined], teams: ['web'], project: PROJECT }, SETTINGS);
    expect(bounds.map(({ of }) => of)).toEqual(['role worker', 'team web', 'project shop']);
    const wish = withBoundDefaults({}, bounds);
    expect(wish).toEqual({ sandbox: true, maxBudgetUsd: 5 });
    expect(boundsViolation(wish, ['codex'], bounds)).toBeUndefined();
    expect(boundsViolation(wish, ['claude'], bounds)).toBe('the bounds of team web allow no executor claude, only codex, gemini');
    expect(boundsViolation(wish, ['gemini'], bounds)).toBe(
      'the bounds of role worker allow no executor gemini, only claude, codex',
    );
    expect(boundsViolation({ ...wish, maxBudgetUsd: 6 }, ['codex'], bounds)).toBe(
      'the bounds of team web allow at most $5, not $6',
    );
    expect(boundsViolation({ ...wish, sandbox: false }, ['codex'], bounds)).toContain(
      'team web allow nothing without the sandbox',
    );
    expect(boundsViolation({ sandbox: true }, [], bounds)).toContain('it has no budget in dollars');
  });

  it('that name an executor allow only its default account', () => {
    const bounds = boundsOf({ roles: ['worker'], teams: [] }, SETTINGS);
    expect(boundsViolation({ maxBudgetUsd: 1 }, ['claude/work'], bounds)).toContain('no executor claude/work');
  });

  it('do not apply to another role, another team, or a name that every object has', () => {
    for (const team of ['red', 'constructor', '__proto__'])
      expect(boundsOf({ roles: ['admin'], teams: [team], project: { name: 'plain' } }, SETTINGS)).toEqual([]);
  });
});
