import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LIST_PRICES } from '../domain/agent/prices.ts';
import { homePaths } from './home.ts';
import { priceSource, pricesFile } from './prices.ts';

it("takes the user's own prices before the list, as soon as they are there, and says when they cannot be read [RUN-08]", async () => {
  const home = await mkdtemp(join(tmpdir(), 'fleet prices '));
  try {
    const paths = homePaths({ FLEET_HOME: home }, home);
    const shelf = priceSource(paths);
    let second = 1;
    const write = async (text: string) => {
      await writeFile(pricesFile(paths), text);
      // File systems differ in how finely they tell when a file was changed.
      await utimes(pricesFile(paths), second, second);
      second += 1;
    };
    expect(shelf.price('gpt-5')).toEqual(LIST_PRICES.models['gpt-5']);
    expect(shelf.price('mine')).toBeUndefined();
    await write('[mine]\ninput = 2\noutput = 4\n[gpt-5]\ninput = 9\noutput = 9\ncached = 1\n');
    expect(shelf.price('mine')).toEqual({ input: 2, output: 4, cached: 2 });
    expect(shelf.price('gpt-5')).toEqual({ input: 9, output: 9, cached: 1 });
    expect(shelf.problem()).toBeUndefined();
    for (const bad of ['[mine]\ninput = "2"\noutput = 4\n', '[mine\n', '[mine]\ninput = -1\noutput = 4\n']) {
      await write(bad);
      expect(shelf.problem(), bad).toContain('prices.toml: ');
      expect(shelf.price('mine')).toBeUndefined();
      expect(shelf.price('gpt-5')).toEqual(LIST_PRICES.models['gpt-5']);
    }
  } finally {
    await rm(home, { recursive: true });
  }
});
