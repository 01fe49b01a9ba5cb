import { describe, expect, it } from 'vitest';
import { contract } from '../contract/index.ts';
import { mayMint, NAMED_OPERATIONS, ROLES, STANDINGS } from '../domain/authority.ts';

describe('authority', () => {
  it('names only operations that exist', () => {
    const declared: readonly string[] = contract.map(({ name }) => name);
    expect(NAMED_OPERATIONS.filter((name) => !declared.includes(name))).toEqual([]);
  });

  it('lets nobody hand on more than they have [T6]', () => {
    const table = STANDINGS.map((minter) => [minter, ROLES.filter((role) => mayMint(minter, role))]);
    expect(Object.fromEntries(table)).toEqual({
      admin: ['admin', 'team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
      'team-lead': ['team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
      coordinator: ['team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
      worker: ['worker'],
      monitor: ['monitor'],
      merger: ['monitor', 'merger'],
      run: [],
      host: [],
    });
  });
});
