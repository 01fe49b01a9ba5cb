/** `npm run docs`: writes the pages made from code. `npm run check` compares them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TRUST_LEVELS } from '../src/domain/work/trust.ts';
import { TRUST, TRUST_QUESTIONS } from '../src/domain/work/trust-table.ts';
import {
  faultsPage,
  limitsPage,
  metricsPage,
  operationsPage,
  permissionsPage,
  phasesPage,
  settingsPage,
  toolSetsTable,
} from './reference.ts';
import { everyRoom, frontDoor, web } from './rooms.ts';
import { threatsPage } from './threats-page.ts';

const rooms = { begin: '<!-- rooms: made by `npm run docs` from tools/rooms.ts -->', end: '<!-- /rooms -->' };
const toolSets = {
  begin: '<!-- tool-sets: made by `npm run docs` from src/surfaces/mcp/tool-sets.ts -->',
  end: '<!-- /tool-sets -->',
};

const trust = { begin: '<!-- trust: made by `npm run docs` from src/domain/work/trust-table.ts -->', end: '<!-- /trust -->' };

/** Path -> text of every generated page, and of every page with a generated part. */
export async function generateDocs(root: string): Promise<Map<string, string>> {
  return new Map([
    ['docs/reference/limits.md', limitsPage()],
    ['docs/reference/faults.md', faultsPage()],
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/phases.md', phasesPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/permissions.md', permissionsPage()],
    ['docs/reference/threats.md', threatsPage(root)],
    ['ARCHITECTURE.md', withPart(root, 'ARCHITECTURE.md', rooms, roomsTable())],
    ['SECURITY.md', withPart(root, 'SECURITY.md', trust, trustTable())],
    ['docs/guide/sandbox.md', withPart(root, 'docs/guide/sandbox.md', trust, trustTable())],
    ['docs/guide/mcp.md', withPart(root, 'docs/guide/mcp.md', toolSets, toolSetsTable())],
  ]);
}

/** A page that people write, with one part that is made. */
function withPart(root: string, path: string, lines: typeof rooms, part: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  const begin = text.indexOf(lines.begin);
  const end = text.indexOf(lines.end);
  if (begin < 0 || end < begin) throw new Error(`${path} must hold the lines ${lines.begin} and ${lines.end}`);
  return `${text.slice(0, begin)}${lines.begin}\n${part}\n${text.slice(end)}`;
}

function trustTable(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const meanings = TRUST_LEVELS.map((level) => TRUST[level]);
  return [
    row(['', ...meanings.map(({ name }) => `**${name}**`)]),
    row(['---', ...meanings.map(() => '---')]),
    ...TRUST_QUESTIONS.map(([part, question]) => row([question, ...meanings.map((meaning) => meaning[part])])),
  ].join('\n');
}

function roomsTable(): string {
  const rows = [
    ...everyRoom.map(({ name, about, mayUse, neverKnows }) => [
      `\`src/${name}\``,
      about,
      mayUse.join(', ') || 'no other room',
      neverKnows,
    ]),
    [`\`src/${frontDoor.name}\``, frontDoor.about, 'everything', 'nobody imports it'],
    ['`web`', web.about, web.mayUse.join(', '), web.neverKnows],
  ];
  return [
    '| room | what lives there | may import | never knows |',
    '|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = process.cwd();
  for (const [path, text] of await generateDocs(root)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(path);
  }
}
