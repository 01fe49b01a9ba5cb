import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesUnder } from './files.ts';
import type { Check } from './finding.ts';

const linesPerPage = 40;
const headings = ['## What forced it', '## What we chose', '## What we gave up', '## When to revisit'];

/** Decisions are short, numbered and complete, and every package has a row that says why it is here. */
export const checkDecisions: Check = async (root) => {
  const pages = filesUnder(root, 'docs/decisions').map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const numbers = pages.map(({ path }) => basename(path).slice(0, 4));
  const all = pages.map(({ text }) => text).join('\n');
  return {
    violations: [
      ...pages.flatMap(({ path, text }) => flawsOf(path, text)),
      ...numbers
        .filter((number, index) => numbers.indexOf(number) !== index)
        .map((number) => `two decisions have the number ${number}`),
      ...packagesOf(root)
        .filter((name) => !all.includes(`| \`${name}\` |`))
        .map((name) => `no decision says why the package ${name} is here`),
    ],
    notes: [`${pages.length} pages`],
  };
};

function flawsOf(path: string, text: string): string[] {
  const lines = text.trimEnd().split('\n').length;
  return [
    ...(/^\d{4}-[a-z0-9-]+[.]md$/.test(basename(path)) ? [] : [`${path} is not called NNNN-title.md`]),
    ...(lines > linesPerPage ? [`${path} has ${lines} lines, at most ${linesPerPage} are read`] : []),
    ...headings.filter((heading) => !text.includes(heading)).map((heading) => `${path} lacks "${heading}"`),
  ];
}

function packagesOf(root: string): string[] {
  const file = join(root, 'package.json');
  if (!existsSync(file)) return [];
  const {
    dependencies = {},
    devDependencies = {},
    optionalDependencies = {},
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>;
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
}
