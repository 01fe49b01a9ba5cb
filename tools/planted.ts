import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** A temporary directory with the given files, gone when the test ends. */
export function planted(files: Readonly<Record<string, string>>): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'planted-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A checkout with the real tools and packages and a program of one line, in a path with a space. */
export function plantedCheckout(files: Readonly<Record<string, string>>): Disposable & { readonly path: string } {
  const home = planted({});
  const path = join(home.path, 'a checkout');
  mkdirSync(join(path, 'src', 'app'), { recursive: true });
  writeFileSync(join(path, 'src', 'app', 'main.ts'), "console.log(['ran', ...process.argv.slice(2)].join('|'));\n");
  writeFileSync(join(path, 'src', 'app', 'commands.ts'), 'export const commands = [];\n');
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'fleet'])
    copyFileSync(join(root, name), join(path, name));
  cpSync(join(root, 'tools'), join(path, 'tools'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, [Symbol.dispose]: () => home[Symbol.dispose]() };
}
