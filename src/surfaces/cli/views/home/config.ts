import type { OutputOf } from '../../../../contract/call.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { wrap } from '../../terminal/wrap.ts';
import { homely, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';

type Shown = OutputOf<'config.show'>;
type Item = Shown['items'][number];

export function configShown({ file, problem, items, by, engine, notInForce }: Shown, look: ViewStyle): string {
  const { paint } = look;
  const warning =
    problem === undefined ? '' : `${paint.red('✗')} ${wrap(plainLine(problem), Math.max(20, look.width - 2)).join('\n  ')}\n\n`;
  const whose =
    by === 'engine'
      ? `in force in the running engine, process ${engine}`
      : engine === undefined
        ? 'no engine runs here'
        : `as this command has them: the engine, process ${engine}, did not answer or is of another version`;
  return `${warning}${settingTable(items, look)}${ignored(notInForce, look)}\n${paint.dim(`file: ${homely(file, look)}; ${whose}`)}\n`;
}

/** What this command was given in vain, and how it would be heeded. */
function ignored(all: Shown['notInForce'], { paint, width }: ViewStyle): string {
  if (all.length === 0) return '';
  const lines = all.flatMap(({ variable, given, inForce }) =>
    wrap(
      `${variable}=${valueText(given)} of this command is not in force: the running engine goes by ${valueText(inForce)}`,
      Math.max(20, width - 2),
    ).map((line, at) => `${at === 0 ? paint.yellow('!') : ' '} ${line}`),
  );
  return `\n${lines.join('\n')}\n  Change it with \`fleet config set\`, or stop the engine (fleet up --stop) and start it with the variable.\n`;
}

export const configChanged = ({ file, items }: OutputOf<'config.set'>, look: ViewStyle): string =>
  `${settingTable(items, look)}${overridden(items)}\n${look.paint.dim(`written to ${homely(file, look)}; a running fleet takes it up by itself`)}\n`;

const settingTable = (items: readonly Item[], look: ViewStyle): string =>
  columns<Item>(
    items,
    [
      { title: 'NAME', cell: ({ name }) => plainLine(name), paint: look.paint.bold },
      { title: 'VALUE', cell: ({ value }) => valueText(value), least: 12 },
      {
        title: 'FROM',
        cell: ({ origin }) => origin,
        paint: (text, { origin }) => (origin === 'default' ? look.paint.dim(text) : look.paint.cyan(text)),
      },
      { title: 'MEANING', cell: ({ summary }) => plainLine(summary), paint: look.paint.dim, least: 24, expendable: 1 },
    ],
    layout(look),
  );

/** A value that was set and does not hold, because something stronger says otherwise. */
function overridden(items: readonly Item[]): string {
  const names = items.filter(({ origin }) => origin === 'environment' || origin === 'flag').map(({ name }) => plainLine(name));
  return names.length === 0 ? '' : `\nThe environment or a flag overrides the file for: ${names.join(', ')}\n`;
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map((item) => plainLine(String(item))).join(', ');
  if (typeof value === 'object')
    return (
      Object.entries(value)
        .map(
          ([name, entry]) => `${plainLine(name)}=${plainLine(typeof entry === 'object' ? JSON.stringify(entry) : String(entry))}`,
        )
        .join(', ') || '–'
    );
  return plainLine(typeof value === 'string' ? value : JSON.stringify(value));
}
