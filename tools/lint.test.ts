import { spawnSync } from 'node:child_process';
import { copyFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { planted } from './planted.ts';

const root = dirname(import.meta.dirname);
const asyncWork = 'async function work(): Promise<void> {}\n';

/** Each rule the house relies on, and the smallest code that breaks it. A rule that stops working fails here. */
const broken: Readonly<Record<string, string>> = {
  'no-floating-promises': `${asyncWork}export function start(): void {\n  work();\n}\n`,
  'no-misused-promises': `${asyncWork}export const start = (all: string[]): void => all.forEach(async () => work());\n`,
  'await-thenable': 'export async function wait(): Promise<void> {\n  await 1;\n}\n',
  'only-throw-error': "export function fail(): never {\n  throw 'x';\n}\n",
  'switch-exhaustiveness-check':
    "export function say(x: 'a' | 'b'): string {\n  switch (x) {\n    case 'a':\n      return 'a';\n  }\n  return '';\n}\n",
  'consistent-type-imports':
    "import { type Stats, Dirent } from 'node:fs';\nimport { URL } from 'node:url';\nexport type X = [Stats, Dirent, URL];\n",
  'no-explicit-any': 'export const x = (y: any): unknown => y;\n',
  'no-default-export': 'export default 1;\n',
  eqeqeq: 'export const same = (a: unknown, b: unknown): boolean => a == b;\n',
  'no-console': "export const say = (): void => console.log('x');\n",
  'max-params': 'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n',
  'max-lines-per-function': `export function f(): number {\n  let x = 0;\n${'  x += 1;\n'.repeat(60)}  return x;\n}\n`,
  'max-depth': `export function f(x: boolean): void {\n${'if (x) {\n'.repeat(5)}f(!x);\n${'}'.repeat(5)}\n}\n`,
};

it('the linter fails on every rule the house relies on', () => {
  const files = Object.fromEntries(Object.entries(broken).map(([rule, code]) => [`src/engine/${rule}.ts`, code]));
  using place = planted({ ...files, 'src/app/say.ts': "export const say = (): void => console.log('x');\n" });
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) copyFileSync(join(root, name), join(place.path, name));
  symlinkSync(join(root, 'node_modules'), join(place.path, 'node_modules'));

  const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const { status, stdout } = spawnSync(process.execPath, [oxlint, '--type-aware', '--format=json'], {
    cwd: place.path,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string; severity: string }[] };
  const found = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, filename }) => `${filename.replaceAll('\\', '/')} ${code}`);

  for (const rule of Object.keys(broken)) expect(found.join('\n')).toMatch(new RegExp(`src/engine/${rule}\\.ts .*\\(${rule}\\)`));
  expect(found.join('\n')).not.toContain('src/app/say.ts');
  expect(status).toBe(1);
});
