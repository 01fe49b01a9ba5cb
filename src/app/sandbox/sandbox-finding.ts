import { askVersion } from '../../platform/ask-version.ts';
import type { Env } from '../../surfaces/cli/surroundings.ts';
import type { Finding } from '../../surfaces/cli/views/doctor.ts';
import { sandboxHere } from './sandbox-here.ts';

const timeoutMs = 5_000;

/** Whether `--sandbox` works here: bubblewrap is there, and the kernel lets it do what it must. */
export async function sandboxFinding(env: Env): Promise<Finding> {
  const seen = { name: 'bwrap', needed: false };
  const [here, told] = await Promise.all([sandboxHere(env), askVersion('bwrap', ['--version'], { env, timeoutMs })]);
  const version = told.found && told.version !== undefined ? { version: told.version } : {};
  if (here.works) return { ...seen, ...version, path: here.path, state: 'ok', detail: 'sandboxes can be made' };
  const { path, why, repair } = here;
  return {
    ...seen,
    ...version,
    state: path === undefined ? 'off' : 'broken',
    ...(path === undefined ? {} : { path }),
    detail: path === undefined ? 'not found' : why,
    ...(repair === undefined ? {} : { repair }),
  };
}
