/** Dollars for a million tokens: read anew, written, and read from the provider's cache. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export interface PriceTable {
  /** The day of the prices. */
  readonly asOf: string;
  readonly models: Readonly<Record<string, Price>>;
}

const price = (input: number, output: number, cached: number): Price => ({ input, output, cached });

/**
 * List prices of API access, from the public price pages of Anthropic (platform.claude.com/docs/en/about-claude/pricing) and
 * OpenAI (developers.openai.com/api/docs/pricing). Models whose price depends on the prompt length are left out. A model that
 * is not here has no known price; `prices.toml` in the home replaces and adds prices.
 */
export const LIST_PRICES: PriceTable = {
  asOf: '2026-11-16',
  models: {
    'claude-fable-5-1': price(10, 50, 0.25),
    'claude-fable-5': price(10, 50, 1),
    'claude-opus-5-5': price(4, 20, 0.2),
    'claude-opus-5': price(5, 25, 0.5),
    'claude-opus-4-8': price(5, 25, 0.5),
    'claude-opus-4-7': price(5, 25, 0.5),
    'claude-opus-4-6': price(5, 25, 0.5),
    'claude-opus-4-5': price(5, 25, 0.5),
    'claude-opus-4-1': price(15, 75, 1.5),
    'claude-sonnet-5-5': price(2, 10, 0.2),
    'claude-sonnet-5': price(2, 10, 0.2),
    'claude-sonnet-4-5': price(3, 15, 0.3),
    'claude-sonnet-4': price(3, 15, 0.3),
    'claude-haiku-4-5': price(1, 5, 0.1),
    'gpt-6-sol': price(2, 10, 0.2),
    'gpt-5.5': price(5, 30, 0.5),
    'gpt-5.4': price(2.5, 15, 0.25),
    'gpt-5.3-codex': price(1.75, 14, 0.175),
    'gpt-5.2': price(1.75, 14, 0.175),
    'gpt-5-codex': price(1.25, 10, 0.125),
    'gpt-5': price(1.25, 10, 0.125),
    'gpt-5-mini': price(0.25, 2, 0.025),
  },
};

/** Finds a model by its full name, without the provider prefix, or without the date suffix. A similar name is another model. */
export function priceFor(model: string, { models }: Pick<PriceTable, 'models'>): Price | undefined {
  const plain = model.slice(model.lastIndexOf('/') + 1);
  const undated = plain.replace(/[-@]\d{8}$|-\d{4}-\d\d-\d\d$/, '');
  const name = [model, plain, undated].find((candidate) => Object.hasOwn(models, candidate));
  return name === undefined ? undefined : models[name];
}

const MILLION = 1_000_000;

export const dollarsFor = (
  tokens: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens?: number | undefined },
  { input, output, cached }: Price,
): number => (tokens.inputTokens * input + tokens.outputTokens * output + (tokens.cachedTokens ?? 0) * cached) / MILLION;
