import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { codeFiles, isTest } from './files.ts';
import type { Check } from './finding.ts';

/** What declares a test: `it`, and functions that hand title and body on to it. */
const declaring = new Set(['it', 'test', 'fullOnly', 'boxed', 'boxedLong', 'short', 'long', 'always', 'promise']);

/** Every test can fail, because it or a function of the tests that it calls asserts something; and none fails by a clock of its own. */
export const checkTests: Check = async (root) => {
  const sources = new Sources(root);
  const files = codeFiles(root).filter((path) => /[.]test[.]tsx?$/.test(path) || /\/conformance\/.*[.]ts$/.test(path));
  const tests = files.flatMap((path) => testsIn(sources.file(path)).map((test) => ({ path, ...test })));
  return {
    violations: tests.flatMap(({ path, line, title, body, ownLimit }) => [
      ...(asserts(body, path, sources) ? [] : [`${path}:${line} asserts nothing: ${title}`]),
      ...(ownLimit ? [`${path}:${line} sets a time limit of its own: ${title}; vitest.config.ts has the one for all`] : []),
    ]),
    notes: [`${tests.length} tests`],
  };
};

interface Declared {
  readonly line: number;
  readonly title: string;
  readonly body: ts.Node;
  readonly ownLimit: boolean;
}

function testsIn(file: ts.SourceFile): Declared[] {
  const found: Declared[] = [];
  const visit = (node: ts.Node): void => {
    const body = ts.isCallExpression(node) ? bodyOf(node) : undefined;
    if (!body || !ts.isCallExpression(node)) return ts.forEachChild(node, visit);
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    const title = node.arguments[0]?.getText().split('\n', 1)[0] ?? '';
    found.push({ line: line + 1, title, body, ownLimit: hasLimit(node) });
  };
  visit(file);
  return found;
}

/** `it(title, body, 5_000)` or `it(title, { timeout: 5_000 }, body)`. */
const hasLimit = ({ arguments: given }: ts.CallExpression): boolean =>
  given
    .slice(1)
    .some((arg) => ts.isNumericLiteral(arg) || /^([A-Z_\d]+|[^{}]*[*] *[\w]+|\{.*\btimeout\b.*\})$/s.test(arg.getText()));

const isFunction = (arg: ts.Node): boolean =>
  ts.isArrowFunction(arg) || ts.isFunctionExpression(arg) || (ts.isIdentifier(arg) && !/^[A-Z_]+$/.test(arg.text));

/** The function of a test, or undefined for any other call. A test that is skipped for good proves nothing, and need not assert. */
function bodyOf(call: ts.CallExpression): ts.Node | undefined {
  if (!declaring.has(rootName(call.expression)) || /\bskip\b/.test(call.expression.getText())) return undefined;
  const [title, ...rest] = call.arguments;
  if (!title || !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) return undefined;
  return rest.find(isFunction);
}

/** `it` of `it`, `it.skipIf(x)` and `it.each(rows)`; '' of what begins otherwise. */
function rootName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) ? rootName(node.expression) : '';
}

/** Whether a test or a function of the tests holds an assertion, or calls one that does. */
function asserts(body: ts.Node, path: string, sources: Sources, seen = new Set<ts.Node>()): boolean {
  if (seen.has(body)) return false;
  seen.add(body);
  const found = ts.forEachChild(body, function visit(node): true | undefined {
    if (isAssertion(node)) return true;
    const called = ts.isCallExpression(node) ? node.expression : ts.isIdentifier(node) && isArgument(node) ? node : undefined;
    const named = called && ts.isIdentifier(called) ? sources.named(called.text, path) : undefined;
    if (named && asserts(named.node, named.path, sources, seen)) return true;
    return ts.forEachChild(node, visit);
  });
  const self = ts.isIdentifier(body) ? sources.named(body.text, path) : undefined;
  return found === true || (self !== undefined && asserts(self.node, self.path, sources, seen));
}

const isArgument = (node: ts.Identifier): boolean => ts.isCallExpression(node.parent) && node.parent.arguments.includes(node);

/** `expect(x).toBe(y)`, `expect.poll(…).toBe(y)`, `assert(x)`, `fc.assert(…)`. An `expect(x)` without a matcher is none. */
function isAssertion(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  if (ts.isIdentifier(expression)) return expression.text.startsWith('assert');
  if (!ts.isPropertyAccessExpression(expression)) return false;
  if (/^(assert|expect)/.test(expression.name.text)) return true;
  const matched = rootName(expression) === 'expect' && !ts.isIdentifier(expression.expression);
  return matched || (rootName(expression) === 'expect' && expression.name.text === 'unreachable');
}

interface Named {
  readonly path: string;
  readonly node: ts.Node;
}

/** The files of the project, and what a name means in one of them when that is a function of the tests. */
class Sources {
  readonly #files = new Map<string, ts.SourceFile>();
  readonly #names = new Map<string, Map<string, ts.Node>>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  file(path: string): ts.SourceFile {
    const known = this.#files.get(path);
    if (known) return known;
    const read = ts.createSourceFile(path, readFileSync(join(this.#root, path), 'utf8'), ts.ScriptTarget.Latest, true);
    this.#files.set(path, read);
    return read;
  }

  named(name: string, path: string): Named | undefined {
    const declared = this.#names.get(path) ?? declarations(this.file(path));
    this.#names.set(path, declared);
    const here = declared.get(name);
    if (here) return { path, node: here };
    const from = imports(this.file(path)).get(name);
    if (from === undefined) return undefined;
    const other = normalize(join(dirname(path), from.file));
    return isTest(other) ? this.named(from.name, other) : undefined;
  }
}

/** Functions, and constants and methods that hold one, anywhere in the file. */
function declarations(file: ts.SourceFile): Map<string, ts.Node> {
  const found = new Map<string, ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name && node.body) found.set(node.name.text, node.body);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      found.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function imports(file: ts.SourceFile): Map<string, { readonly file: string; readonly name: string }> {
  const found = new Map<string, { readonly file: string; readonly name: string }>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { text } = statement.moduleSpecifier;
    const names = statement.importClause?.namedBindings;
    if (!text.startsWith('.') || !names || !ts.isNamedImports(names)) continue;
    for (const { name, propertyName } of names.elements) found.set(name.text, { file: text, name: (propertyName ?? name).text });
  }
  return found;
}
