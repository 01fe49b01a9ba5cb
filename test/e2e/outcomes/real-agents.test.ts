import { afterAll, beforeAll, describe, it } from 'vitest';
import { codex } from '../../clis/codex.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import type { WorkHouse } from '../../support/work-house.ts';
import { type ClaudeHouse, claudeHouse } from '../agents/claude-house.ts';
import type { Answer } from '../agents/claude-model.ts';
import { engines } from '../agents/claude-table.ts';
import { type CodexHouse, codexHouse } from '../agents/codex-house.ts';
import { follow, SETTINGS } from './played.ts';
import { type Act, type Cell, type Row, rowsOf } from './table.ts';

/** What runs every time; all of the others in the full run. */
const SHORT: ReadonlySet<string> = new Set(['mcp blocked', 'mcp asks and leaves', 'file failed', 'page asks and leaves']);

const isShort = ({ kind, channel, meaning }: Row): boolean => kind === 'claude cli' && SHORT.has(`${channel} ${meaning}`);

type Begun = readonly [house: WorkHouse, id: string];

/** One test for each cell; those that cannot be say why. */
function cells(rows: readonly Row[], missing: string | undefined, begin: (cell: Cell) => Promise<Begun>): void {
  for (const row of rows) {
    const { channel, meaning, cell } = row;
    const title = `${meaning}, by ${channel}`;
    if (typeof cell === 'string') it.skip(`${title}; there is no such cell: ${cell}`, () => {});
    else if (missing !== undefined) it.skip(`${title}: ${cell.fate}; not run: ${missing}`, () => {});
    else if (isShort(row)) it.concurrent(`${title}: ${cell.fate} [WORK-04]`, async () => follow(...(await begin(cell)), cell));
    else fullOnly(`${title}: ${cell.fate} [WORK-04]`, async () => follow(...(await begin(cell)), cell));
  }
}

describe.each(engines)('what the real Claude Code says, by its $engine', ({ engine, programs }) => {
  let house: ClaudeHouse;
  const isRun = programs.claude !== '' && (engine === 'cli' || programs.sdk !== '');
  const missing = isRun ? undefined : inFullRun ? 'it could not be installed' : 'it runs in the full run';
  beforeAll(async () => {
    if (isRun) house = await claudeHouse(programs, { settings: SETTINGS });
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());
  cells(rowsOf(`claude ${engine}`), missing, async (cell) => {
    const { id } = await house.work([...cell.first, ...cell.resumed].flatMap(answersOf));
    return [house, id];
  });
});

/** A tool of Fleet has to be looked up first. */
function answersOf(act: Act): readonly Answer[] {
  if ('sh' in act) return [{ call: 'Bash', with: { command: act.sh } }];
  if ('say' in act) return [{ say: act.say }];
  if ('exit' in act) throw new Error('its model does not choose how its program ends');
  const lookUp = { query: `select:mcp__fleet__${act.mcp}`, max_results: 1 };
  return [
    { call: 'ToolSearch', with: lookUp },
    { call: act.mcp, with: act.with },
  ];
}

const found = inFullRun ? await had(codex) : { missing: 'it runs in the full run' };

describe('what the real Codex says', () => {
  let house: CodexHouse;
  beforeAll(async () => {
    if ('program' in found) house = await codexHouse(found.program, { settings: SETTINGS });
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());
  cells(rowsOf('codex'), 'missing' in found ? found.missing : undefined, async (cell) => {
    const { id } = await house.work([...cell.first.map(lineOf), 'turn', ...cell.resumed.map(lineOf)].join('\n'));
    return [house, id];
  });
});

function lineOf(act: Act): string {
  if ('sh' in act) return `run ${act.sh}`;
  if ('say' in act) return `say ${act.say}`;
  if ('exit' in act) throw new Error('its model does not choose how its program ends');
  return `call ${act.mcp} ${JSON.stringify(act.with)}`;
}
