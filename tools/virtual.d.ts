/** The command line, derived from the contract when the program is built. See tools/derive.ts. */
declare module 'virtual:command-table' {
  import type { table as derived } from './derive.ts';

  export const table: typeof derived;
}
