import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { codeFiles, isTest } from './files.ts';
import type { Check } from './finding.ts';
import { escapes, lookers, type ReaderEntry, readers } from './readers.ts';

/** What opens or copies a file by its path: it follows links, waits for pipes and reads however much there is. */
const OPENING = new Set([
  ...['readFile', 'readFileSync', 'createReadStream', 'open', 'openSync', 'openAsBlob'],
  ...['copyFile', 'copyFileSync', 'cp', 'cpSync', 'promises'],
]);

/** What looks at a path of which nothing is opened: it follows links all the same, and believes what it saw. */
const LOOKING = new Set(
  [
    'stat',
    'lstat',
    'readdir',
    'opendir',
    'readlink',
    'realpath',
    'exists',
    'access',
    'watch',
    'watchFile',
    'statfs',
    'glob',
  ].flatMap((name) => [name, `${name}Sync`]),
);

const AGENT_PATH = 'src/platform/agent-path.ts';

/** Files are read by `platform/read-safely`, which an agent that writes them cannot lead astray; elsewhere by whoever is listed with what it reads. */
export const checkReading: Check = async (root) => {
  const sources = codeFiles(root)
    .filter((path) => path.startsWith('src/') && !isTest(path))
    .map((path) => ({ path, taken: takenIn(path, readFileSync(join(root, path), 'utf8')) }));
  return { violations: [...openingsOf(sources), ...escapesOf(sources), ...looksOf(sources)] };
};

interface Source {
  readonly path: string;
  readonly taken: readonly Taken[];
}

/** What one statement takes from a module: `*` when it takes all of it. */
interface Taken {
  readonly module: string;
  readonly names: readonly string[];
}

function openingsOf(sources: readonly Source[]): string[] {
  const found = sources.flatMap(({ path, taken }) => {
    const names = fromFs(taken, OPENING);
    return names.length === 0 ? [] : [{ path, names }];
  });
  const listed = pathsOf(readers);
  return [
    ...found
      .filter(({ path }) => !listed.has(path))
      .map(
        ({ path, names }) =>
          `${path} uses ${names.join(', ')} of node:fs: read what an agent can write by platform/read-safely, or say in tools/checks/readers.ts what else is read there`,
      ),
    ...unneeded(listed, found, 'opens nothing'),
  ];
}

/** Ways from a path that an agent can write to its text. */
function escapesOf(sources: readonly Source[]): string[] {
  return Object.entries(escapes).flatMap(([name, { of, users }]) => {
    const found = sources.filter(
      (source) => source.path !== of && takenFrom(source, of).some((taken) => taken === name || taken === '*'),
    );
    const listed = pathsOf(users);
    return [
      ...found
        .filter(({ path }) => !listed.has(path))
        .map(
          ({ path }) =>
            `${path} uses ${name} of ${of}, by which a path that an agent can write is text again: give the path to platform/read-safely or platform/write-safely, or say in tools/checks/readers.ts what is done with the text`,
        ),
      ...unneeded(listed, found, `takes no ${name}`),
    ];
  });
}

/** Whoever handles paths that an agent can write looks at them by nothing else than the safe ways. */
function looksOf(sources: readonly Source[]): string[] {
  const found = sources.flatMap((source) => {
    if (takenFrom(source, AGENT_PATH).length === 0) return [];
    const names = fromFs(source.taken, LOOKING);
    return names.length === 0 ? [] : [{ path: source.path, names }];
  });
  const listed = pathsOf(lookers);
  return [
    ...found
      .filter(({ path }) => !listed.has(path))
      .map(
        ({ path, names }) =>
          `${path} handles paths that an agent can write and uses ${names.join(', ')} of node:fs: look by platform/read-safely, or say in tools/checks/readers.ts what else is looked at there`,
      ),
    ...unneeded(listed, found, 'looks at nothing'),
  ];
}

const pathsOf = (entries: readonly ReaderEntry[]): ReadonlySet<string> => new Set(entries.flatMap(({ paths }) => paths));

const unneeded = (listed: ReadonlySet<string>, found: readonly { readonly path: string }[], why: string): string[] =>
  [...listed]
    .filter((path) => !found.some((one) => one.path === path))
    .map((path) => `${path} is listed in tools/checks/readers.ts and ${why}: remove it`);

/** Names a module takes from `node:fs` that open files. */
export const openingsIn = (path: string, source: string): string[] => fromFs(takenIn(path, source), OPENING);

const fromFs = (taken: readonly Taken[], wanted: ReadonlySet<string>): string[] =>
  taken
    .filter(({ module }) => FS.test(module))
    .flatMap(({ names }) => names)
    .filter((name) => name === '*' || wanted.has(name));

/** Names taken from another module of `src`. */
const takenFrom = ({ path, taken }: Source, from: string): string[] =>
  taken.filter(({ module }) => join(dirname(path), module) === from).flatMap(({ names }) => names);

const FS = /^(node:)?fs(\/promises)?$/;

function takenIn(path: string, source: string): Taken[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: Taken[] = [];
  const add = (module: ts.Expression | undefined, names: readonly string[]) => {
    if (module && ts.isStringLiteralLike(module) && names.length > 0) found.push({ module: module.text, names });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) add(node.moduleSpecifier, takenBy(node));
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) add(node.moduleSpecifier, handedOn(node));
    // `import()`, `require`, `process.getBuiltinModule`, or whatever else takes a module by its name.
    if (ts.isCallExpression(node)) add(node.arguments[0], ['*']);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function takenBy({ importClause }: ts.ImportDeclaration): string[] {
  const bindings = importClause?.namedBindings;
  if (importClause?.name || (bindings && ts.isNamespaceImport(bindings))) return ['*'];
  return bindings && ts.isNamedImports(bindings) ? valuesIn(bindings.elements) : [];
}

/** What others take from here without a word of where it comes from. */
const handedOn = ({ exportClause }: ts.ExportDeclaration): string[] =>
  exportClause && ts.isNamedExports(exportClause) ? valuesIn(exportClause.elements) : ['*'];

const valuesIn = (elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): string[] =>
  elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ propertyName, name }) => (propertyName ?? name).text);
