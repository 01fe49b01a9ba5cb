import { describe, expect, it } from 'vitest';
import { viewStyleOf } from '../style.ts';
import { type HereView, herePage, nextSteps } from './here.ts';

const look = viewStyleOf({
  colour: false,
  columns: 90,
  now: () => 0,
  env: { HOME: '/home/you' },
  input: {},
} as unknown as Parameters<typeof viewStyleOf>[0]);
const bare: HereView = { version: '1.2.3', directory: '/home/you/x', tasks: {}, engineRuns: false, agents: [] };
const repository = { path: '/home/you/x', branch: 'main', hasCommit: true };
const agents = [{ name: 'claude', ready: true }];
const first = (here: HereView) => nextSteps(here)[0]?.[0];

describe('fleet without a word', () => {
  it('says what it sees and the next useful command', () => {
    const text = herePage({ ...bare, repository, agents, project: 'shop', tasks: { queued: 2, done: 1 } }, look);
    expect(text).toContain('repository ~/x, branch main');
    expect(text).toContain('shop');
    expect(text).toContain('2 queued, 1 done');
    expect(text).toContain('claude ready');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(90);
  });

  it('leads on from wherever one stands', () => {
    expect(first(bare)).toBe('fleet doctor');
    expect(first({ ...bare, agents })).toContain('fleet task create');
    expect(first({ ...bare, agents, repository })).toContain('fleet project add .');
    expect(first({ ...bare, agents, repository: { ...repository, hasCommit: false } })).toBe('git commit');
    expect(first({ ...bare, agents, repository, project: 'shop' })).toContain('fleet task create');
    expect(first({ ...bare, agents, repository, project: 'shop', tasks: { blocked: 1 } })).toBe('fleet status');
    expect(first({ ...bare, agents, problem: 'it is gone' })).toBe('cd DIR');
  });
});
