import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../tools/paths.mjs';
import type { WorkHouse } from './work-house.ts';

/** A small MCP server: see there. */
export const SERVER = join(root, 'test', 'fixtures', 'mcp-server.mjs');

/** A secret in a file, which the server `vault` of the project gets by reference and leaves behind when it is called. */
export interface Vault {
  readonly secret: string;
  /** What its server had in its environment. */
  left(): Promise<string>;
  /** Files of the home in which the secret stands. */
  leaks(): Promise<readonly string[]>;
}

export async function withVault(house: WorkHouse, more: object = {}): Promise<Vault> {
  const secret = `vault-${house.directory.replaceAll(/\W/g, '').slice(-8)}-7f3a`;
  const [file, leave] = [join(house.directory, 'vault-secret'), join(house.directory, 'vault-left')];
  await writeFile(file, `${secret}\n`);
  await rm(leave, { force: true });
  const vault = {
    command: process.execPath,
    args: [SERVER],
    env: { TOKEN: `\${file:${file}}`, LEAVE: leave },
  };
  const broken = { command: process.execPath, args: [SERVER, 'broken'], env: { TOKEN: `\${file:${file}}` } };
  await house.ok(['project', 'set', 'shop', '--mcp-servers', JSON.stringify({ vault, broken, ...more })]);
  return {
    secret,
    left: () => readFile(leave, 'utf8'),
    leaks: async () => {
      const entries = await readdir(house.home, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      const isIn = async (path: string) => (await readFile(path).catch(() => Buffer.alloc(0))).includes(secret);
      const found = await Promise.all(files.map(async (path) => ((await isIn(path)) ? [path] : [])));
      return found.flat();
    },
  };
}
