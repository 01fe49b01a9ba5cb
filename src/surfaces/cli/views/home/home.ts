import type { OutputOf } from '../../../../contract/call.ts';
import { plainLine } from '../../terminal/plain.ts';
import { homely, type ViewStyle } from '../style.ts';

export function homeMade({ home, created }: OutputOf<'home.init'>, look: ViewStyle): string {
  const { paint } = look;
  const place = paint.bold(homely(home, look));
  if (created.length === 0) return `${place} is there already; nothing was changed\n`;
  const inside = created
    .map((path) => (path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path))
    .filter((path) => path !== home);
  const made = inside.map((path) => `  ${paint.green('+')} ${plainLine(path)}\n`).join('');
  const next = [
    'fleet project add DIR            make a repository known',
    "fleet task create --prompt '…'   queue work",
    'fleet up                         start the fleet',
  ];
  return `${place} is ready\n${made}\nNext\n${next.map((line) => `  ${paint.cyan(line)}\n`).join('')}`;
}
