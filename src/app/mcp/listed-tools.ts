import { createHash } from 'node:crypto';
import { z } from 'zod';

const Tool = z.looseObject({ name: z.string() });
const Page = z.looseObject({ tools: z.array(Tool), nextCursor: z.string().optional() });

/** What a server offers a model, told so that a change of it is seen: of names, words and fields. */
export interface Offered {
  readonly hash: string;
  readonly names: readonly string[];
}

const MOST_NAMES = 200;

/** Puts the pages of one list together. Undefined until the last one has come, or where it is no list of tools. */
export class ListedTools {
  #tools: z.infer<typeof Tool>[] = [];

  take(result: unknown, isFirst: boolean): Offered | undefined {
    const page = Page.safeParse(result);
    if (!page.success) return undefined;
    this.#tools = [...(isFirst ? [] : this.#tools), ...page.data.tools];
    return page.data.nextCursor === undefined ? offered(this.#tools) : undefined;
  }
}

function offered(tools: readonly z.infer<typeof Tool>[]): Offered {
  const inOrder = [...tools].toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(ordered);
  const hash = createHash('sha256').update(JSON.stringify(inOrder)).digest('hex');
  return {
    hash,
    names: tools
      .map(({ name }) => name)
      .toSorted()
      .slice(0, MOST_NAMES),
  };
}

/** The same whatever the order in which a server writes its fields. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(fields)
      .toSorted()
      .map((name) => [name, ordered(fields[name])]),
  );
}
