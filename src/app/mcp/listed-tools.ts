import { createHash } from 'node:crypto';

interface ListedTool {
  readonly name: string;
}

interface ToolPage {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string;
}

/** Read by hand: the bridge runs beside every agent, and the schema library would be the larger part of it. */
function pageIn(result: unknown): ToolPage | undefined {
  const { tools, nextCursor } = (typeof result === 'object' && result !== null ? result : {}) as Partial<Record<string, unknown>>;
  const isPage = Array.isArray(tools) && tools.every(isTool) && (nextCursor === undefined || typeof nextCursor === 'string');
  return isPage ? { tools, ...(nextCursor === undefined ? {} : { nextCursor }) } : undefined;
}

const isTool = (one: unknown): one is ListedTool =>
  typeof one === 'object' && one !== null && typeof (one as Partial<ListedTool>).name === 'string';

/** What a server offers a model, told so that a change of it is seen: of names, words and fields. */
export interface Offered {
  readonly hash: string;
  readonly names: readonly string[];
}

const MOST_NAMES = 200;

/** Puts the pages of one list together. Undefined until the last one has come, or where it is no list of tools. */
export class ListedTools {
  #tools: ListedTool[] = [];

  take(result: unknown, isFirst: boolean): Offered | undefined {
    const page = pageIn(result);
    if (!page) return undefined;
    this.#tools = [...(isFirst ? [] : this.#tools), ...page.tools];
    return page.nextCursor === undefined ? offered(this.#tools) : undefined;
  }
}

function offered(tools: readonly ListedTool[]): Offered {
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
