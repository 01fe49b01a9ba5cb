import { contract } from '../src/contract/index.ts';
import { commandTable } from '../src/surfaces/cli/command-table.ts';

/** What `virtual:command-table` answers: the build makes it JSON, tests load it live. */
export const table = commandTable(contract);
