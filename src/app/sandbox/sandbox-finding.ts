import type { Settings } from '../../domain/settings.ts';
import { askVersion } from '../../platform/ask-version.ts';
import type { CliEnv } from '../../surfaces/cli/deps.ts';
import type { Finding } from '../../surfaces/cli/views/executor/doctor.ts';
import { limitsHeld } from './limits-held.ts';
import { runAs } from './run-as.ts';
import { sandboxHere } from './sandbox-here.ts';

const timeoutMs = 5_000;

interface Around {
  readonly settings: Settings | undefined;
  /** Of the engine that lives; without one, limits are held as they would be for one that is started from here. */
  readonly pid: number | undefined;
}

/** Whether `--sandbox` works here: bubblewrap is there, and the kernel lets it do what it must. */
export async function sandboxFinding(env: CliEnv, { settings, pid }: Around): Promise<Finding> {
  const seen = { name: 'bwrap', needed: false };
  const [here, told] = await Promise.all([sandboxHere(env), askVersion('bwrap', ['--version'], { env, timeoutMs })]);
  const version = told.found && told.version !== undefined ? { version: told.version } : {};
  if (here.works) {
    const who = settings ? await whoIn(settings, here.rootAlone) : [];
    const detail = ['sandboxes can be made', limitsHeld({ pid }), ...who].join('; ');
    return { ...seen, ...version, path: here.path, state: 'ok', detail };
  }
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

/** Where Fleet runs as root: whom agents run as, or why only as root. */
async function whoIn(settings: Settings, rootAlone: string | undefined): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const as = await runAs({ ...settings, sandbox_as_root: false }, { mounts: [], home: '/', rootAlone });
  if ('why' in as) return [as.why];
  const otherwise = settings.sandbox_as_root ? 'where they are to change files of root, as root' : 'never as root';
  return [`agents run as ${settings.sandbox_user}, ${otherwise}`];
}
