import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { codeFiles, isTest } from './files.ts';
import type { Check } from './finding.ts';
import { readers } from './readers.ts';

/** What opens or copies a file by its path: it follows links, waits for pipes and reads however much there is. */
const OPENING = new Set([
  ...['readFile', 'readFileSync', 'createReadStream', 'open', 'openSync', 'openAsBlob'],
  ...['copyFile', 'copyFileSync', 'cp', 'cpSync', 'promises'],
]);

/** Files are read by `platform/read-safely`, which an agent that writes them cannot lead astray; elsewhere by whoever is listed with what it reads. */
export const checkReading: Check = async (root) => {
  const files = codeFiles(root).filter((path) => path.startsWith('src/') && !isTest(path));
  const found = files.flatMap((path) => {
    const names = openingsIn(path, readFileSync(join(root, path), 'utf8'));
    return names.length === 0 ? [] : [{ path, names }];
  });
  const listed = new Set(readers.flatMap(({ paths }) => paths));
  return {
    violations: [
      ...found
        .filter(({ path }) => !listed.has(path))
        .map(
          ({ path, names }) =>
            `${path} uses ${names.join(', ')} of node:fs: read what an agent can write by platform/read-safely, or say in tools/checks/readers.ts what else is read there`,
        ),
      ...[...listed]
        .filter((path) => !found.some((one) => one.path === path))
        .map((path) => `${path} is listed in tools/checks/readers.ts and opens nothing: remove it`),
    ],
  };
};

/** Names a module takes from `node:fs` that open files; `*` when it takes all of it. */
export function openingsIn(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && isFs(node.moduleSpecifier) && !node.importClause?.isTypeOnly)
      found.push(...takenBy(node));
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && isFs(node.moduleSpecifier) && !node.isTypeOnly)
      found.push(...handedOn(node));
    // `import()`, `require`, `process.getBuiltinModule`, or whatever else takes a module by its name.
    const [wanted] = ts.isCallExpression(node) ? node.arguments : [];
    if (wanted && isFs(wanted)) found.push('*');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isFs = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && /^(node:)?fs(\/promises)?$/.test(node.text);

function takenBy({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings;
  if (importClause?.name || (bindings && ts.isNamespaceImport(bindings))) return ['*'];
  const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  return names
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ propertyName, name }) => (propertyName ?? name).text)
    .filter((name) => OPENING.has(name));
}

/** What others take from here without a word of `node:fs`. */
function handedOn({ exportClause }: ts.ExportDeclaration): string[] {
  if (!exportClause || !ts.isNamedExports(exportClause)) return ['*'];
  return exportClause.elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ propertyName, name }) => (propertyName ?? name).text)
    .filter((name) => OPENING.has(name));
}
