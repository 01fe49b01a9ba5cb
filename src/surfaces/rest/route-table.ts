/** What stands at a route, and what stood in its place. */
export interface FoundRoute<Value> {
  readonly value: Value;
  /** The word at the place in the path, decoded. */
  readonly subject?: string;
  /** The path that was asked for, decoded, without its query. */
  readonly path: string;
}

interface Entry<Value> {
  readonly method: string;
  /** With at most one place, like `/v1/tasks/{id}/events`. */
  readonly path: string;
  readonly value: Value;
}

const PLACE = /\{\w+\}/;

/**
 * Finds routes by their words. Fixed words go before places, so that `/v1/tasks/ready` is not a task called ready. A place
 * takes one word that is not empty.
 */
export function routeTable<Value>(
  entries: readonly Entry<Value>[],
): (method: string, url: string) => FoundRoute<Value> | undefined {
  const fixed = new Map<string, Value>();
  /** By method, number of words, and the words around the place. */
  const placed = new Map<string, Value>();
  const placesAt = new Set<number>();
  for (const { method, path, value } of entries) {
    const words = path.split('/');
    const at = words.findIndex((word) => PLACE.test(word));
    if (at === -1) fixed.set(`${method} ${path}`, value);
    else {
      placesAt.add(at);
      placed.set(`${method} ${at} ${words.toSpliced(at, 1).join('/')}`, value);
    }
  }
  return (method, url) => {
    const path = pathOf(url);
    const value = fixed.get(`${method} ${path}`);
    if (value !== undefined) return { value, path };
    const words = path.split('/');
    for (const at of placesAt) {
      const word = words[at];
      if (word === undefined || word === '') continue;
      const found = placed.get(`${method} ${at} ${words.toSpliced(at, 1).join('/')}`);
      if (found !== undefined) return { value: found, subject: decoded(word, decodeURIComponent), path };
    }
    return undefined;
  };
}

/** The address of a request may be a whole one, as for a proxy. */
function pathOf(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.search(/[?#]/);
  const path = end === -1 ? local : local.slice(0, end);
  // A percent sign that was meant stays one: it is decoded with its word.
  return path.includes('%') ? decoded(path.replaceAll('%25', '%2525'), decodeURI) : path;
}

/** What is wrongly encoded stays as it is, and is found nowhere. */
function decoded(text: string, decode: (text: string) => string): string {
  if (!text.includes('%')) return text;
  try {
    return decode(text);
  } catch {
    return text;
  }
}
