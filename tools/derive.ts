import { programs } from '../src/app/programs.ts';
import { contract } from '../src/contract/index.ts';
import { commandTable } from '../src/surfaces/cli/command-table.ts';
import { overviewParts } from '../src/surfaces/cli/help/overview-parts.ts';
import { type Route, routeOf } from '../src/wire/route.ts';

/** What `virtual:command-table`, `virtual:overview` and `virtual:routes` answer: the build makes them JSON, tests load them live. */
export const table = commandTable(contract);
export const parts = overviewParts(table, programs);
export const routes: Readonly<Record<string, Route>> = Object.fromEntries(
  contract.map((operation) => [operation.name, routeOf(operation)]),
);
