import { describe, expect, it } from 'vitest';
import { statementsOf } from './toml-statements.ts';

const TEXT = `# head
a = 1 # one
"b.c" = "x # not a comment" # two
d.e = [
  "]", # ] in a comment
  'it''s',
]
f = """
# inside
"quoted""""
[g]
h = { i = "}" }
[[j]]
k = 1
`.replace("'it''s'", "'its'");

describe('the places of statements', () => {
  const found = statementsOf(TEXT);

  it('names every key with its whole path', () => {
    expect(found.map(({ path }) => path.join('/'))).toEqual(['a', 'b.c', 'd/e', 'f', 'g', 'g/h', 'j/[]', 'j/[]/k']);
  });

  it('finds the value alone, over lines, strings and comments', () => {
    expect(
      found.filter(({ kind }) => kind === 'value').map(({ valueStart, valueEnd }) => TEXT.slice(valueStart, valueEnd)),
    ).toEqual([
      '1',
      '"x # not a comment"',
      '[\n  "]", # ] in a comment\n  \'its\',\n]',
      '"""\n# inside\n"quoted""""',
      '{ i = "}" }',
      '1',
    ]);
  });

  it('knows the lines', () => {
    expect(found.map(({ line }) => line)).toEqual([2, 3, 4, 8, 11, 12, 13, 14]);
  });
});
