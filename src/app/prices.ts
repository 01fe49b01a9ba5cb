import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { LIST_PRICES, type Price, type PriceTable, priceFor } from '../domain/agent/prices.ts';
import type { HomePaths } from './home.ts';

const Dollars = z.number().min(0).max(1_000_000);
const PricesFile = z.record(z.string().max(200), z.strictObject({ input: Dollars, output: Dollars, cached: Dollars.optional() }));

export const pricesFile = ({ path }: HomePaths): string => join(path, 'prices.toml');

interface Read {
  readonly changedAt: number;
  readonly table: PriceTable;
  readonly problem?: string;
}

/** The list prices, and over them what the user's own file says. Read again only when it has changed. */
export function priceSource(paths: HomePaths): { price(model: string): Price | undefined; problem(): string | undefined } {
  let last: Read | undefined;
  const now = (): Read => {
    const changedAt = statSync(pricesFile(paths), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (last?.changedAt !== changedAt) last = { changedAt, ...(changedAt === 0 ? { table: LIST_PRICES } : readPrices(paths)) };
    return last;
  };
  return { price: (model) => priceFor(model, now().table), problem: () => now().problem };
}

/** A file that cannot be used changes nothing, and `fleet doctor` tells of it. */
function readPrices(paths: HomePaths): Omit<Read, 'changedAt'> {
  const file = pricesFile(paths);
  try {
    const own = PricesFile.parse(parse(readFileSync(file, 'utf8')));
    // Without a price of its own, what comes from a cache costs what everything else does: never too little.
    const models = Object.fromEntries(
      Object.entries(own).map(([name, { cached, ...price }]) => [name, { ...price, cached: cached ?? price.input }]),
    );
    return { table: { ...LIST_PRICES, models: { ...LIST_PRICES.models, ...models } } };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : String(error).split('\n', 1)[0];
    return { table: LIST_PRICES, problem: `${file}: ${why}` };
  }
}
