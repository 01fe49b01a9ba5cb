export interface SortedPlace {
  readonly sort: string;
  /** Which row stands here. */
  readonly name: string;
}

interface Range {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly limit: number;
  readonly reverse: boolean;
}

/** One index: places ordered by sort, then by row. */
export class SortedPlaces {
  readonly #places: SortedPlace[] = [];

  add(place: SortedPlace): void {
    this.#places.splice(this.#firstNotBefore(place), 0, place);
  }

  remove(place: SortedPlace): void {
    const at = this.#firstNotBefore(place);
    const found = this.#places[at];
    if (found?.sort === place.sort && found.name === place.name) this.#places.splice(at, 1);
  }

  between({ from, to, limit, reverse }: Range): readonly SortedPlace[] {
    const start = from === undefined ? 0 : this.#firstNotBefore({ sort: from, name: '' });
    const end = to === undefined ? this.#places.length : this.#firstNotBefore({ sort: to, name: '' });
    if (!reverse) return this.#places.slice(start, Math.min(end, start + limit));
    return this.#places.slice(Math.max(start, end - limit), Math.max(start, end)).reverse();
  }

  #firstNotBefore(place: SortedPlace): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#places[middle] as SortedPlace, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const isBefore = (a: SortedPlace, b: SortedPlace): boolean => a.sort < b.sort || (a.sort === b.sort && a.name < b.name);
