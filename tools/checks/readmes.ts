import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyRoom, frontDoor } from '../rooms.ts';
import type { Check } from './finding.ts';

const linesPerReadme = 15;

/** Each room says at its door what lives there, and no room stands outside the table. */
export const checkReadmes: Check = async (root) => {
  const known = [...everyRoom.map(({ name }) => name), frontDoor.name];
  const present = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return { violations: present.flatMap((room) => doorOf(root, room, known)) };
};

function doorOf(root: string, room: string, known: readonly string[]): string[] {
  if (!known.includes(room)) return [`src/${room} is not a room of tools/rooms.ts`];
  const readme = join(root, 'src', room, 'README.md');
  if (!existsSync(readme)) return [`src/${room} has no README.md`];
  const lines = readFileSync(readme, 'utf8').trimEnd().split('\n').length;
  return lines > linesPerReadme ? [`src/${room}/README.md has ${lines} lines, at most ${linesPerReadme} are read`] : [];
}
