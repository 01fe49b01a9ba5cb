import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { codeFiles, isTest } from './files.ts';
import type { Check } from './finding.ts';

/**
 * Each exported type of `src` has a name of its own: a reader who meets `RunState` in a signature need not look at the imports to
 * know which one is meant. A type and a schema of one name in one file are one name.
 */
export const checkNames: Check = async (root) => {
  const places = new Map<string, string[]>();
  for (const path of codeFiles(root).filter((one) => one.startsWith('src/') && one.endsWith('.ts') && !isTest(one)))
    for (const name of exportedTypes(path, readFileSync(join(root, path), 'utf8')))
      places.set(name, [...(places.get(name) ?? []), path]);
  const shared = [...places].filter(([, paths]) => paths.length > 1);
  return {
    violations: shared.map(
      ([name, paths]) => `the type ${name} is exported by ${paths.join(' and ')}: say in each name whose it is`,
    ),
    notes: [`${places.size} exported types`],
  };
};

export function exportedTypes(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false);
  const names = file.statements.flatMap((statement) =>
    (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement)) &&
    statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) &&
    statement.name
      ? [statement.name.text]
      : [],
  );
  return [...new Set(names)];
}
