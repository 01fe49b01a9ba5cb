import type { Output } from '../../../contract/call.ts';
import { columns } from '../terminal/columns.ts';
import { plainLine } from '../terminal/plain.ts';
import { shortCommit } from './changes.ts';
import { counted, homely, type Look, type Paint, shortId } from './look.ts';
import { layout } from './task-list.ts';

type Item = Output<'workspace.list'>['items'][number];

export function workspaceList({ items }: Pick<Output<'workspace.list'>, 'items'>, look: Look): string {
  if (items.length === 0) return 'No workspaces. They are made when an agent begins to work in a project.\n';
  const { paint } = look;
  return columns<Item>(
    items,
    [
      { title: 'ID', cell: ({ id }) => plainLine(id), paint: paint.bold },
      { title: 'PROJECT', cell: ({ project }) => plainLine(project), least: 8 },
      { title: 'STATE', cell: stateOf, paint: (text, item) => statePaint(item, paint)(text), least: 8 },
      { title: 'FOR', cell: userOf },
      { title: 'BRANCH', cell: branchOf, least: 10, expendable: 2 },
      { title: 'PATH', cell: ({ path }) => homely(path, look), expendable: 1 },
      { title: 'PORTS', cell: ({ ports }) => plainLine(ports), paint: paint.dim, expendable: 3 },
    ],
    layout(look),
  );
}

export function workspacesPruned({ items, dryRun }: Output<'workspace.prune'>, look: Look): string {
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
};

const stateOf = ({ state, use }: Item): string => (isFree({ state, use }) ? '○ free' : STATES[state][0]);
const statePaint = ({ state, use }: Item, paint: Paint) => (isFree({ state, use }) ? paint.dim : paint[STATES[state][1]]);
const isFree = ({ state, use }: Pick<Item, 'state' | 'use'>): boolean => use.kind === 'free' && state === 'ready';

const userOf = ({ use }: Item): string =>
  use.kind === 'free' ? '–' : `${use.kind === 'gate' ? 'gate ' : ''}${shortId(use.taskId)}`;

const branchOf = ({ use }: Item): string =>
  use.kind === 'task' ? plainLine(use.branch) : use.kind === 'gate' ? shortCommit(use.commit) : '–';
