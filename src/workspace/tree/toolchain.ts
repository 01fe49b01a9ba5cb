import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { delimiter, join } from 'node:path';

/** Programs whose version decides what a set-up makes. */
const PROGRAMS = [
  ...['node', 'npm', 'pnpm', 'yarn', 'bun', 'deno'],
  ...['python3', 'python', 'pip', 'uv', 'poetry', 'ruby', 'bundle', 'php', 'composer'],
  ...['go', 'cargo', 'rustc', 'java', 'mvn', 'gradle', 'dotnet', 'cc', 'make'],
];

/**
 * A digest of the machine and of the programs that set-up commands use, as `PATH` finds them: where each really is, how large
 * it is and when it was changed. Another version lies elsewhere or has other facts; no program is started to ask.
 */
export async function toolchainOf(env: NodeJS.ProcessEnv): Promise<string> {
  const directories = (env['PATH'] ?? '').split(delimiter).filter((directory) => directory.startsWith('/'));
  const found = await Promise.all(PROGRAMS.map((name) => factsOf(name, directories)));
  return createHash('sha256')
    .update(JSON.stringify([platform(), arch(), found]))
    .digest('hex');
}

async function factsOf(name: string, directories: readonly string[]): Promise<string | undefined> {
  for (const directory of directories) {
    const path = await realpath(join(directory, name)).catch(() => undefined);
    const facts = path === undefined ? undefined : await stat(path).catch(() => undefined);
    if (facts?.isFile()) return `${path} ${facts.size} ${facts.mtimeMs}`;
  }
  return undefined;
}
