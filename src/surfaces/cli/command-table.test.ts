import { describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { FLOWS } from './exceptions.ts';
import { table } from './fake-io.ts';
import { BUILT_IN } from './parse/find-command.ts';
import { GLOBAL_FLAGS, KEY_FLAG } from './parse/globals.ts';

const { commands } = table;

describe('the command line and the contract', () => {
  it.each(contract.map(({ name, input }) => [name, input] as const))('%s can be asked with all its fields', (name, input) => {
    const command = commands.find(({ operation, shortcut }) => operation === name && !shortcut);
    expect(command?.path).toEqual(name.split('.'));
    const reachable = [...(command?.flags ?? []), ...(command?.positionals ?? [])]
      .filter(({ local }) => !local)
      .map(({ field }) => field);
    expect([...reachable, ...(FLOWS[name]?.hidden ?? [])].toSorted()).toEqual(Object.keys(input.shape).toSorted());
  });

  it('is JSON, as the build embeds it', () => expect(JSON.parse(JSON.stringify(table))).toEqual(table));

  it('describes every value', () => {
    const bare = commands.flatMap(({ path, flags, positionals }) =>
      [...flags, ...positionals].filter(({ description }) => description === '').map(({ name }) => `${path.join(' ')} ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it('gives no flag a name that every command has, nor one that reads as a denial', () => {
    const taken = [...GLOBAL_FLAGS, KEY_FLAG].map(({ name }) => name);
    const clashes = commands.flatMap(({ flags }) => flags).filter(({ name }) => taken.includes(name) || name.startsWith('no-'));
    expect(clashes).toEqual([]);
    for (const { flags } of commands) expect(new Set(flags.map(({ name }) => name)).size).toBe(flags.length);
  });

  it('hides no command behind a shortcut', () => {
    const paths = commands.map(({ path }) => path.join(' '));
    expect(new Set(paths).size).toBe(paths.length);
    const nouns = new Set(commands.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
    const words = commands.filter(({ shortcut }) => shortcut).map(({ path }) => path[0] ?? '');
    expect(words.filter((word) => nouns.has(word) || (BUILT_IN as readonly string[]).includes(word))).toEqual([]);
  });

  it('asks for a required place before an optional one, and for many only at the end', () => {
    for (const { positionals } of commands) {
      const order = positionals.map(({ required, repeated }) => (repeated ? 2 : required ? 0 : 1));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });
});
