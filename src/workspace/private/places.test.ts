import { expect, it } from 'vitest';
import { privateMounts } from './places.ts';

it('mounts of a private clone follow from its record alone, and lie beside its tree [T1]', () => {
  const site = { path: '/w/shop/1', isolation: 'clone', trust: 'sandboxed' } as const;
  expect(privateMounts(site)).toEqual({
    tree: site.path,
    agentGit: `${site.path}.fleet/agent-git`,
    at: `${site.path}/.git`,
    objects: { from: `${site.path}.fleet/history`, at: `${site.path}.fleet/history` },
  });
});

it('without a sandbox the git directory is where an agent finds it, and a worktree has none', () => {
  const site = { path: '/w/1', isolation: 'clone', trust: 'apart' } as const;
  expect(privateMounts(site)).toMatchObject({ agentGit: '/w/1/.git', at: '/w/1/.git' });
  expect(privateMounts({ ...site, trust: undefined })?.agentGit).toBe('/w/1/.git');
  expect(privateMounts({ path: '/w/1', isolation: 'worktree', trust: 'own' })).toBeUndefined();
});
