import { describe, expect, it } from 'vitest';
import { reuseOf, type SetupRequest, type SetupSource } from './setup.ts';

const [tree, other] = ['a'.repeat(40), 'b'.repeat(40)];
const source: SetupSource = { trust: 'own', toolchain: 'node 20', commit: 'c'.repeat(40), tree, inputs: 'lock 1' };
const wanted: SetupRequest = { ...source, command: 'npm ci' };

describe('the reuse of a set-up', () => {
  it.each<[what: string, made: Partial<SetupSource> | undefined, asked: Partial<SetupRequest>, answer: string]>([
    ['of the same files', {}, {}, 'yes'],
    ['of the same files under another commit', { commit: 'd'.repeat(40) }, {}, 'yes'],
    ['of the same files, without declared inputs', { inputs: undefined }, { inputs: undefined }, 'yes'],
    ['of other files, without declared inputs', { inputs: undefined }, { inputs: undefined, tree: other }, 'no'],
    ['of other files with the same declared inputs', {}, { tree: other }, 'if-landed'],
    ['of other files with other declared inputs', {}, { tree: other, inputs: 'lock 2' }, 'no'],
    ['before inputs were declared, of other files', { inputs: undefined }, { tree: other }, 'no'],
    ['by another command', {}, { command: 'npm install' }, 'no'],
    ['with other programs', {}, { toolchain: 'node 22' }, 'no'],
    ['for agents that are trusted less', { trust: 'sandboxed' }, {}, 'no'],
    ['for agents that are trusted more', {}, { trust: 'sandboxed' }, 'no'],
    ['for agents kept apart, asked for by a sandboxed one', { trust: 'apart' }, { trust: 'sandboxed' }, 'no'],
    ['for sandboxed agents, asked for by another', { trust: 'sandboxed' }, { trust: 'sandboxed' }, 'if-landed'],
    [
      'for sandboxed agents, of other files',
      { trust: 'sandboxed', inputs: undefined },
      { trust: 'sandboxed', tree: other },
      'no',
    ],
    ['nobody knows from what', undefined, {}, 'no'],
  ])('%s: %#', (_what, made, asked, answer) => {
    const from = made && { ...source, ...made };
    expect(reuseOf({ command: 'npm ci', ...(from ? { source: from } : {}) }, { ...wanted, ...asked })).toBe(answer);
  });
});
