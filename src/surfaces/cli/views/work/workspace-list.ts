import type { OutputOf } from '../../../../contract/call.ts';
import { asidePath } from '../../../../domain/work/aside.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { wrap } from '../../terminal/wrap.ts';
import { counted, homely, type Paint, shortId, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';
import { shortCommit } from './changes.ts';

type Item = OutputOf<'workspace.list'>['items'][number];

export function workspaceList({ items }: Pick<OutputOf<'workspace.list'>, 'items'>, look: ViewStyle): string {
  if (items.length === 0) return 'No workspaces. They are made when an agent begins to work in a project.\n';
  const { paint } = look;
  return columns<Item>(
    items,
    [
      { title: 'ID', cell: ({ id }) => plainLine(id), paint: paint.bold },
      { title: 'PROJECT', cell: ({ project }) => plainLine(project), least: 8 },
      { title: 'STATE', cell: stateOf, paint: (text, item) => statePaint(item, paint)(text), least: 8 },
      { title: 'FOR', cell: userOf },
      { title: 'LEVEL', cell: ({ trust }) => trust ?? '–', expendable: 3 },
      { title: 'SET-UP', cell: setupOf, expendable: 4 },
      { title: 'BRANCH', cell: branchOf, least: 10, expendable: 2 },
      { title: 'PATH', cell: (item) => homely(asidePath(item), look), expendable: 1 },
      { title: 'PORTS', cell: ({ ports }) => plainLine(ports), paint: paint.dim, expendable: 5 },
    ],
    layout(look),
  ).concat(items.flatMap((item) => (item.state === 'aside' ? asideText(item, look) : [])).join(''));
}

/** Of what was put aside, why, where its files are, and how they go. */
function asideText(item: Item, look: ViewStyle): string {
  const { paint, width } = look;
  const within = (text: string) => wrap(plainLine(text), Math.max(20, width - 4)).map((line) => `    ${line}\n`);
  const way = within(`fleet workspace delete ${item.id} removes its files, in ${homely(asidePath(item), look)}`);
  return [
    `\n${paint.red('!')} ${paint.bold(plainLine(item.id))} was put aside, for it could not be kept\n`,
    ...within(item.why ?? ''),
    ...way.map(paint.dim),
  ].join('');
}

export const workspaceDeleted = (item: OutputOf<'workspace.delete'>, look: ViewStyle): string =>
  `removing ${look.paint.bold(plainLine(item.id))}  ${homely(asidePath(item), look)}\n`;

export function workspacesPruned({ items, dryRun }: OutputOf<'workspace.prune'>, look: ViewStyle): string {
  if (items.length === 0) return 'No workspace can go: every one of them is needed.\n';
  const lines = items.map(({ id, path }) => `  ${look.paint.bold(plainLine(id))}  ${homely(path, look)}\n`).join('');
  const note = dryRun ? 'nothing was touched' : 'the engine removes them; what was made in them is kept';
  return `${dryRun ? 'would remove' : 'removing'} ${counted(items.length, 'workspace')}\n${lines}  ${look.paint.dim(note)}\n`;
}

const STATES: Readonly<Record<Item['state'], readonly [word: string, colour: 'green' | 'yellow' | 'red' | 'cyan']>> = {
  making: ['◌ being made', 'cyan'],
  setting_up: ['◌ set-up', 'cyan'],
  ready: ['▶ in use', 'green'],
  failed: ['✗ failed', 'red'],
  leaving: ['– leaving', 'yellow'],
  aside: ['! put aside', 'red'],
};

const stateOf = ({ state, use }: Item): string => (isFree({ state, use }) ? '○ free' : STATES[state][0]);
const statePaint = ({ state, use }: Item, paint: Paint) => (isFree({ state, use }) ? paint.dim : paint[STATES[state][1]]);
const isFree = ({ state, use }: Pick<Item, 'state' | 'use'>): boolean => use.kind === 'free' && state === 'ready';

const userOf = ({ use }: Item): string =>
  use.kind === 'free' ? '–' : `${use.kind === 'gate' ? 'gate ' : ''}${shortId(use.taskId)}`;

/** The commit its set-up ran on, if what it made can be used again. */
const setupOf = ({ setup, state }: Item): string =>
  setup === undefined ? '–' : setup.source ? shortCommit(setup.source.commit) : state === 'ready' ? 'once' : '–';

const branchOf = ({ use }: Item): string =>
  use.kind === 'task' ? plainLine(use.branch) : use.kind === 'gate' ? shortCommit(use.commit) : '–';
