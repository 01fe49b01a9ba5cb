import type { OutputOf } from '../../../../contract/call.ts';
import type { Project } from '../../../../domain/project/project.ts';
import { ago } from '../../terminal/ages.ts';
import { columns, pairs } from '../../terminal/columns.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { homely, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';

export function projectList({ items }: OutputOf<'project.list'>, look: ViewStyle): string {
  if (items.length === 0) return 'No projects yet. Make one known with: fleet project add DIR\n';
  return columns<Project>(
    items,
    [
      { title: 'NAME', cell: ({ name }) => plainLine(name), paint: look.paint.bold, least: 8 },
      { title: 'PATH', cell: ({ path }) => homely(path, look), least: 12 },
      { title: 'KIND', cell: ({ kind }) => kind, expendable: 3 },
      { title: 'INTEGRATION', cell: ({ integration }) => integration ?? 'default', expendable: 2 },
      { title: 'VERIFY', cell: ({ verify }) => plainLine(verify ?? '–'), least: 10, expendable: 1 },
    ],
    layout(look),
  );
}

export function projectPage(project: Project, look: ViewStyle): string {
  const { paint } = look;
  const rows: (readonly [string, string | undefined])[] = [
    ['Path', homely(project.path, look)],
    ['Kind', KINDS[project.kind]],
    ['About', project.description === '' ? undefined : plain(project.description)],
    ['Lands on', text(project.targetBranch)],
    ['Set-up', text(project.setup)],
    ['Set-up inputs', project.setupInputs?.map(plainLine).join(', ') || undefined],
    ['Verify', text(project.verify) ?? paint.yellow('none: finished work is not checked')],
    ['Copies', project.copyFiles.length > 0 ? project.copyFiles.map(plainLine).join(', ') : undefined],
    ['MCP servers', Object.keys(project.mcpServers).map(plainLine).join(', ') || undefined],
    ['Executor', [text(project.executor), text(project.model), project.effort].filter(Boolean).join(', ') || undefined],
    ['Integration', project.integration],
    ['Isolation', project.isolation],
    ['Runs at once', project.maxConcurrent?.toString()],
    ['Only by', project.allowExecutors?.map(plainLine).join(', ')],
    ['Sandbox', project.sandbox],
    ['At most', project.maxBudgetUsd === undefined ? undefined : `$${project.maxBudgetUsd} for each task`],
    ['Removed', project.removedAt && ago(project.removedAt, look.nowMs)],
  ];
  const origin = paint.dim(
    `  ${plainLine(project.id)} · added ${ago(project.createdAt, look.nowMs)} by ${plainLine(project.createdBy)}\n\n`,
  );
  const known = rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
  return `${paint.bold(plainLine(project.name))}\n${origin}${pairs(known, { width: look.width, indent: '  ', paint: paint.dim })}`;
}

const KINDS: Readonly<Record<Project['kind'], string>> = {
  repository: 'git repository',
  bare: 'bare git repository',
  directory: 'plain directory: work is done in place, no branches, no merging',
};

const text = (value: string | undefined): string | undefined => (value === undefined ? undefined : plainLine(value));

export function projectAdded(project: Project, look: ViewStyle): string {
  const { paint } = look;
  const gate =
    project.verify === undefined ? `  no verify command: fleet project set ${quoted(project.name)} --verify CMD adds one\n` : '';
  const next = `  fleet task create --project ${quoted(project.name)} --prompt '…'\n`;
  return `added ${paint.bold(plainLine(project.name))}  ${homely(project.path, look)}\n${paint.dim(gate + next)}`;
}

export const projectRemoved = ({ name }: Project): string => `removed ${plainLine(name)}; its files are untouched\n`;

const quoted = (name: string): string => (/^[\w.-]+$/.test(name) ? name : `'${plainLine(name).replaceAll("'", "'\\''")}'`);
