import { join } from 'node:path';
import { exists } from '../../platform/files.ts';
import { ask } from '../git/in-repository.ts';
import { settingsOf } from '../git/repository-settings.ts';
import { gitDirectory } from '../git-directory.ts';
import { checkoutsOf } from './checkouts.ts';
import { dirtyFiles, over } from './move-files.ts';

/** Whether a branch could be moved now, as far as a look that touches nothing can tell. */
export async function couldAdvance(
  repository: string,
  { branch, from, to }: { readonly branch: string; readonly from: string; readonly to: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const directory = await gitDirectory(repository);
  const settings = await settingsOf(repository, env);
  const { holding, busy } = await checkoutsOf(directory.commonDir, `refs/heads/${branch}`, settings);
  const [checkout, second] = holding;
  if (busy || second) return false;
  if (!checkout) return true;
  if (checkout.away || (await exists(join(checkout.directory.gitDir, 'index.lock')))) return false;
  const head = await ask(repository, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], env);
  if (!head.ok) return false;
  const known = checkout.directory.gitDir === directory.gitDir ? settings : undefined;
  await using side = await over(checkout, head.out, env, known);
  if ((await dirtyFiles(side, checkout.path)).length > 0) return false;
  return !(await isInTheWay(checkout.path, await addedBy(repository, from, to, env)));
}

async function addedBy(repository: string, from: string, to: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to];
  const listed = await ask(repository, args, env);
  return listed.ok ? listed.out.split('\0').filter((path) => path !== '') : [];
}

/** A file nobody has committed lies where a new one would come. */
async function isInTheWay(workTree: string, added: readonly string[]): Promise<boolean> {
  for (const path of added) if (await exists(join(workTree, path))) return true;
  return false;
}
