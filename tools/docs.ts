/** `npm run docs`: writes the pages made from code. `npm run check` compares them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { faultsPage, limitsPage, metricsPage, operationsPage, phasesPage, settingsPage } from './reference.ts';
import { everyRoom, frontDoor, web } from './rooms.ts';

const roomsBegin = '<!-- rooms: made by `npm run docs` from tools/rooms.ts -->';
const roomsEnd = '<!-- /rooms -->';

/** Path -> text of every generated page, and of every page with a generated part. */
export async function generateDocs(root: string): Promise<Map<string, string>> {
  return new Map([
    ['docs/reference/limits.md', limitsPage()],
    ['docs/reference/faults.md', faultsPage()],
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/phases.md', phasesPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['ARCHITECTURE.md', withRooms(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))],
  ]);
}

function withRooms(text: string): string {
  const begin = text.indexOf(roomsBegin);
  const end = text.indexOf(roomsEnd);
  if (begin < 0 || end < begin) throw new Error(`ARCHITECTURE.md must hold the lines ${roomsBegin} and ${roomsEnd}`);
  return `${text.slice(0, begin)}${roomsBegin}\n${roomsTable()}\n${text.slice(end)}`;
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
