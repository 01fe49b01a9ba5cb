import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { fitsTask } from '../../domain/work/trust.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { type PrivateMounts, privateMounts } from '../../workspace/private/places.ts';
import { repositoryAround } from '../../workspace/repository-around.ts';
import { sidecarDir } from '../../workspace/site.ts';
import { firstLinkOut } from '../../workspace/tree/links-out.ts';
import type { FleetServices } from '../open-services.ts';
import { notADirectory } from './plain-sources.ts';

/** What a run in a sandbox works on. It follows from records of Fleet's, and from nothing that an agent can write. */
export type SandboxGround = (
  | { readonly kind: 'clone'; readonly mounts: PrivateMounts }
  /** A plain directory of the user's, which no repository holds. */
  | { readonly kind: 'place' }
) & {
  /** For a gate: what an agent, or a gate before, has left in a home decides nothing. Absent: the home of the task. */
  readonly home?: string;
};

interface Wish {
  readonly run: Run;
  readonly task: Task;
  readonly directory: string;
}

/** Or why nothing may be started there. */
export async function groundOf(
  { store, paths }: Pick<FleetServices, 'store' | 'paths'>,
  { run, task, directory }: Wish,
): Promise<SandboxGround | { readonly why: string }> {
  const id = run.chore ? run.chore.workspaceId : task.work?.workspaceId;
  const workspace = id === undefined ? undefined : (await workspaces.get(store, id))?.body;
  if (!workspace || workspace.use.kind === 'free' || workspace.use.taskId !== task.id) {
    const place = await inPlace(directory);
    return 'why' in place || run.kind !== 'gate' ? place : { ...place, home: join(paths.runs, run.id, 'home') };
  }
  const mounts = privateMounts(workspace);
  if (!mounts || !fitsTask(workspace, task) || mounts.tree !== directory)
    return { why: `${directory} was not made for a task in a sandbox: it will be made anew when the task is resumed` };
  const sources = [mounts.tree, mounts.agentGit, mounts.at, mounts.objects.from];
  const why = await notADirectory(paths.workspaces, sources);
  if (why !== undefined) return { why };
  // It goes when another commit is laid out.
  const home = workspace.use.kind === 'gate' ? { home: join(sidecarDir(workspace.path), 'gate-home') } : {};
  return { kind: 'clone', mounts, ...home };
}

async function inPlace(directory: string): Promise<SandboxGround | { readonly why: string }> {
  const real = await realpath(directory).catch(() => undefined);
  if (real === undefined) return { why: `${directory} is gone` };
  // Somebody who may write above it could have put a link there since.
  if (real !== directory) return { why: `${directory} has become a link, which leads to ${real}` };
  const around = await repositoryAround(directory);
  if (around === undefined) return (await leadsOut(directory)) ?? { kind: 'place' };
  const which = around === directory ? `${directory} is a repository` : `${directory} lies in the repository ${around}`;
  return {
    why: `${which}, which could be changed from there: add it with \`fleet project add ${around}\` and name that project`,
  };
}

/** A file of the user's that has a second name elsewhere, as package managers make them, would be changed there too. */
async function leadsOut(directory: string): Promise<{ readonly why: string } | undefined> {
  try {
    const path = await firstLinkOut(directory);
    return path === undefined ? undefined : { why: hardLink(path, directory) };
  } catch (error) {
    if (error instanceof Fault) return { why: error.message };
    throw error;
  }
}

const hardLink = (path: string, directory: string): string =>
  `${path} is a hard link: it has another name outside of ${directory}, by which something else would be changed; work in a copy (\`cp -a\`), or give such files a content of their own`;

/** What stands at its top level in a plain directory, and would make a repository of it that programs outside obey. */
export const MAKES_A_REPOSITORY = (directory: string) => [
  { path: join(directory, '.git'), of: 'directory' as const },
  { path: join(directory, 'HEAD'), of: 'file' as const },
];
