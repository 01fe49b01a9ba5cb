import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { bannedGlobals } from './exemptions.ts';
import { codeFiles, isTest } from './files.ts';
import type { Check } from './finding.ts';

/** Rooms that may touch the outside directly. Everyone else is handed what they need. */
const openRooms = ['src/app/', 'src/platform/', 'src/surfaces/cli/'];

const instead: Readonly<Record<string, string>> = {
  'process.env': 'settings arrive as an argument, resolved in app/',
  Date: 'time arrives as an argument or from platform/clock',
  'Math.random': 'randomness and ids arrive as arguments or from platform/',
  console: 'log through what app/ hands you',
};

/** Ambient inputs stay at the edge of the house, and no string ever becomes a shell command. */
export const checkBans: Check = async (root) => {
  const findings = codeFiles(root).flatMap((path) => findBans(path, readFileSync(join(root, path), 'utf8')));
  const unneeded = bannedGlobals.filter(
    ({ path, global }) => !findings.some((found) => found.path === path && found.what === global),
  );
  return {
    violations: [
      ...findings
        .filter(({ path, what }) => !bannedGlobals.some((entry) => entry.path === path && entry.global === what))
        .map(({ text }) => text),
      ...unneeded.map(({ path, global }) => `${path} is exempt from the ban on ${global} and does not need it: remove the entry`),
    ],
  };
};

interface Found {
  readonly path: string;
  readonly what: string;
  readonly text: string;
}

export function findBans(path: string, source: string): Found[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const atTheEdge = !path.startsWith('src/') || isTest(path) || openRooms.some((room) => path.startsWith(room));
  const found: Found[] = [];
  const report = (node: ts.Node, what: string, why: string): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ path, what, text: `${path}:${line + 1} uses ${what}: ${why}` });
  };
  const visit = (node: ts.Node): void => {
    const shell = shellUse(node);
    if (shell) report(node, shell, 'arguments are passed as a list, never through a shell');
    const ambient = atTheEdge ? undefined : ambientUse(node);
    if (ambient) report(node, ambient, instead[ambient] ?? 'not here');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** `process.env`, `Math.random`, `console`, and `Date` where it reads the clock: converting a given moment is pure. */
function ambientUse(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const name = `${node.expression.text}.${node.name.text}`;
    if (name === 'process.env' || name === 'Math.random') return name;
  }
  if (importsEnvironment(node)) return 'process.env';
  if (!ts.isIdentifier(node) || (node.text !== 'Date' && node.text !== 'console')) return undefined;
  return isName(node) || ts.isTypeNode(node.parent) || isConversion(node) ? undefined : node.text;
}

/** `new Date(ms)`, `Date.parse(text)`, `Date.UTC(…)`. */
function isConversion({ text, parent }: ts.Identifier): boolean {
  if (text !== 'Date') return false;
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0;
  return ts.isPropertyAccessExpression(parent) && (parent.name.text === 'parse' || parent.name.text === 'UTC');
}

function importsEnvironment(node: ts.Node): boolean {
  return (
    ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env' && /^(node:)?process$/.test(moduleOf(node))
  );
}

/** True when the identifier only names a property or something declared here, so it is not the global. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent))
    return parent.name === node && !(ts.isIdentifier(parent.expression) && parent.expression.text === 'globalThis');
  return (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) && parent.name === node
  );
}

function shellUse(node: ts.Node): string | undefined {
  if (ts.isImportSpecifier(node) && /^(node:)?child_process$/.test(moduleOf(node))) {
    const { text } = node.propertyName ?? node.name;
    return text === 'exec' || text === 'execSync' ? `${text}()` : undefined;
  }
  if (
    ts.isPropertyAccessExpression(node) &&
    /^exec(Sync)?$/.test(node.name.text) &&
    /child_?process/i.test(node.expression.getText())
  ) {
    return `${node.name.text}()`;
  }
  const isShellOption = ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'shell';
  return isShellOption && node.initializer.kind !== ts.SyntaxKind.FalseKeyword && isOption(node) ? 'shell: …' : undefined;
}

/** An option of a call (`spawn(…, { shell: true })`) or a truthy literal, not any record that happens to have a field `shell`. */
const isOption = (node: ts.PropertyAssignment): boolean =>
  node.initializer.kind === ts.SyntaxKind.TrueKeyword ||
  (ts.isCallExpression(node.parent.parent) && /spawn|exec|fork/i.test(node.parent.parent.expression.getText()));

function moduleOf(node: ts.ImportSpecifier): string {
  const { moduleSpecifier } = node.parent.parent.parent;
  return ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
}
