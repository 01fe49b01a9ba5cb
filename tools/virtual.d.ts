/** The command line, derived from the contract when the program is built. See tools/derive.ts. */
declare module 'virtual:command-table' {
  import type { table as derived } from './derive.ts';

  export const table: typeof derived;
}

/** Where each operation is found over HTTP, for clients that load no schema library. */
declare module 'virtual:routes' {
  import type { routes as derived } from './derive.ts';

  export const routes: typeof derived;
}

/** What `fleet --help` lists. */
declare module 'virtual:overview' {
  import type { parts as derived } from './derive.ts';

  export const parts: typeof derived;
}
