import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { codeFiles, isTest } from './files.ts';
import type { Check } from './finding.ts';

/** The one place that starts git and makes what it is told. */
const HOME = 'src/workspace/git/';

/** Modules that name git or its variables for another reason. A path that needs no entry fails the check. */
export const gitNamers: readonly { readonly path: string; readonly reason: string }[] = [
  { path: 'src/executors/providers.ts', reason: 'lists variables an agent is not given, or may be' },
  { path: 'src/executors/scripted/programs.ts', reason: 'runs as the agent, in what the agent was given' },
];

/** Git is started, and its environment made, by `src/workspace/git` alone: whoever else did could forget what a repository may not do. */
export const checkGitCalls: Check = async (root) => {
  const files = codeFiles(root).filter((path) => path.startsWith('src/') && !path.startsWith(HOME) && !isTest(path));
  const found = files.flatMap((path) => {
    const what = gitCallsIn(path, readFileSync(join(root, path), 'utf8'));
    return what.length === 0 ? [] : [{ path, what }];
  });
  const listed = new Set(gitNamers.map(({ path }) => path));
  return {
    violations: [
      ...found
        .filter(({ path }) => !listed.has(path))
        .map(({ path, what }) => `${path} ${[...new Set(what)].join(', ')}: git is run by workspace/git alone`),
      ...[...listed]
        .filter((path) => !found.some((one) => one.path === path))
        .map((path) => `${path} is listed in tools/checks/git-calls.ts and does nothing with git: remove it`),
    ],
  };
};

/** How a module starts git, or makes its environment, by itself. */
export function gitCallsIn(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isProgram(node)) found.push('starts git');
    const variable = variableIn(node);
    if (variable !== undefined) found.push(`names ${variable}`);
    if (ts.isImportDeclaration(node) && textOf(node.moduleSpecifier)?.endsWith('/git/spawn-git.ts')) found.push('takes spawnGit');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const textOf = (node: ts.Node): string | undefined =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) ? node.text : undefined;

/** `git` as the first of what a function is given, as a word of a list that is, or in a constant that is started later. */
function isProgram(node: ts.Node): boolean {
  if (!/^(.*\/)?git(\.exe)?$/.test(textOf(node) ?? '')) return false;
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.arguments[0] === node && PROGRAMS.test(calledIn(parent));
  if (ts.isArrayLiteralExpression(parent)) return ts.isCallExpression(parent.parent) && PROGRAMS.test(calledIn(parent.parent));
  return ts.isVariableDeclaration(parent);
}

const PROGRAMS = /spawn|exec|fork|run/i;

const calledIn = ({ expression }: ts.CallExpression): string =>
  ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();

/** A variable of git's: in an object, in a list, or as what is looked up. */
function variableIn(node: ts.Node): string | undefined {
  const text = ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) ? node.name.text : textOf(node);
  return /^GIT_[A-Z_]+$/.test(text ?? '') ? text : undefined;
}
