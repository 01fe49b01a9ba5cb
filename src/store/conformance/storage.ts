import type { Store } from '../port.ts';

/** One place where rows are kept, fresh for each test, with any number of handles on it. */
export interface Storage extends AsyncDisposable {
  open(): Promise<Store>;
}

export type MakeStorage = () => Promise<Storage>;
