import type { OutputOf } from '../../../../contract/call.ts';
import { ago } from '../../terminal/ages.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { shortId, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';

type Item = OutputOf<'token.list'>['items'][number];

/** The token stands alone on the last line, so that a pipe can take it from there. */
export function tokenMade(answer: OutputOf<'token.create'>, { paint }: ViewStyle): string {
  const { id, name, role, team, expiresAt, token } = answer;
  const whose = `${plainLine(name)}, ${role}${team === undefined ? '' : ` of team ${plainLine(team)}`}`;
  return [
    `token ${paint.bold(shortId(id))} for ${whose}, until ${expiresAt.slice(0, 10)}`,
    paint.dim('It is shown this once. Its bearer sets FLEET_URL and FLEET_TOKEN to use it.'),
    plainLine(token),
    '',
  ].join('\n');
}

/** The code alone is of use to programs; people take `fleet login`. */
export const tokenLinked = ({ name, role, expiresAt, code }: OutputOf<'token.link'>, { paint }: ViewStyle): string =>
  `a code for one browser of ${plainLine(name)}, ${role}, good once until ${expiresAt.slice(11, 16)} UTC\n${paint.dim('fleet login prints it as a link')}\n${plainLine(code)}\n`;

export function tokenList({ items, cursor }: OutputOf<'token.list'>, look: ViewStyle): string {
  if (items.length === 0) return 'No tokens. `fleet token create NAME --role worker` makes one.\n';
  const { paint, nowMs } = look;
  const table = columns<Item>(
    items,
    [
      { title: 'ID', cell: ({ id }) => shortId(id), paint: paint.bold },
      { title: 'FOR', cell: ({ name }) => plainLine(name), least: 8 },
      { title: 'ROLE', cell: ({ role }) => role },
      { title: 'TEAM', cell: ({ team, host }) => plainLine(team ?? host ?? '–'), expendable: 2 },
      { title: 'MADE', cell: ({ createdAt, createdBy }) => `${ago(createdAt, nowMs)} by ${plainLine(createdBy)}`, expendable: 1 },
      { title: 'UNTIL', cell: untilOf, paint: (text, { revokedAt }) => (revokedAt ? paint.red(text) : text) },
    ],
    layout(look),
  );
  return cursor === undefined ? table : `${table}${paint.dim(`There are more: add --cursor ${plainLine(cursor)}`)}\n`;
}

export const tokenRevoked = ({ id, name }: OutputOf<'token.revoke'>, { paint }: ViewStyle): string =>
  `token ${paint.bold(shortId(id))} of ${plainLine(name)} opens nothing any more\n`;

const untilOf = ({ expiresAt, revokedAt }: Item): string => (revokedAt ? 'revoked' : expiresAt.slice(0, 10));
