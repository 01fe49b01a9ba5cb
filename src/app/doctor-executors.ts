import { readFile } from 'node:fs/promises';
import { parseCustomExecutor } from '../executors/custom/custom.ts';
import { parseCustomSettings } from '../executors/custom/custom-settings.ts';
import { askVersion } from '../platform/ask-version.ts';
import type { Env } from '../surfaces/cli/surroundings.ts';
import type { Finding } from '../surfaces/cli/views/doctor.ts';
import { customFile, customNames } from './executors.ts';
import type { HomePaths } from './home.ts';

/** Somebody else's program may take `--version` for anything. */
const timeoutMs = 2_000;

/** Executors that the user added as files: whether each can be read, and whether its program is there. */
export async function executorFindings(paths: HomePaths, env: Env): Promise<Finding[]> {
  const names = customNames(paths).toSorted();
  return Promise.all(names.map((name) => executorFinding(paths, name, env)));
}

async function executorFinding(paths: HomePaths, name: string, env: Env): Promise<Finding> {
  const file = customFile(paths, name);
  const seen = { name: `executor ${name}`, needed: false, path: file };
  const broken = (detail: string): Finding => ({ ...seen, state: 'broken', detail, repair: `edit ${file}` });
  try {
    const program = programIn(name, await readFile(file, 'utf8'));
    const told = await askVersion(program, ['--version'], { env, timeoutMs });
    if (!told.found) return broken(`its program ${program} was not found`);
    // Not every program has a version to tell, and none has to.
    return { ...seen, path: told.path, state: 'ok', ...(told.version !== undefined && { version: told.version }) };
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
}

function programIn(name: string, text: string): string {
  parseCustomExecutor(name, text);
  return parseCustomSettings(name, text).program;
}
