import { contract } from '../src/contract/index.ts';
import { commandTable } from '../src/surfaces/cli/command-table.ts';
import { type Route, routeOf } from '../src/wire/route.ts';

/** What `virtual:command-table` and `virtual:routes` answer: the build makes them JSON, tests load them live. */
export const table = commandTable(contract);
export const routes: Readonly<Record<string, Route>> = Object.fromEntries(
  contract.map((operation) => [operation.name, routeOf(operation)]),
);
