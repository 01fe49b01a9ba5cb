import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { slowTexts } from '../test/support/growth.ts';
import { codeFiles, isTest } from './checks/files.ts';

/*
 * Agents write pages, reports, file names and output of any length, and one pattern that takes the square of it holds up the
 * whole server. So every pattern of the program, whatever it is used for, is tried with long texts made of its own letters.
 */

const root = join(import.meta.dirname, '..');

interface Found {
  readonly where: string;
  readonly pattern: RegExp;
}

const patterns: readonly Found[] = codeFiles(root)
  .filter((path) => path.startsWith('src/') && !isTest(path))
  .flatMap((path) => patternsIn(path, readFileSync(join(root, path), 'utf8')));

function patternsIn(path: string, source: string): Found[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const where = `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.text}`;
      const source = node.text.slice(1, end);
      // What repeats nothing for long takes no time.
      if (/[*+]|\{\d+,\}/.test(source)) found.push({ where, pattern: new RegExp(source, node.text.slice(end + 1)) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** As it is used: over all of the text where it looks for all places, else once. */
function tried(pattern: RegExp): (text: string) => void {
  return (text) => {
    pattern.lastIndex = 0;
    if (pattern.global) text.replace(pattern, '');
    else pattern.exec(text);
  };
}

describe('patterns', () => {
  it('take a time that grows with the length of the text alone, whatever an agent writes [T22] [T13]', () => {
    expect(patterns.length).toBeGreaterThan(100);
    const slow = patterns.flatMap(({ where, pattern }) =>
      slowTexts(pattern.source, tried(pattern)).map((text) => `${where}: ${text}`),
    );
    expect(slow.join('\n'), 'patterns that take the square of the length').toBe('');
  });

  it('are found to be slow where they are', () => {
    for (const pattern of [/<!--[\s\S]*?-->/g, /\s*\n/, /\n+$/, /^\n+|\n+$/g, /^not ok \d*(?!.*# (?:TODO|SKIP))(.+)$/])
      expect(slowTexts(pattern.source, tried(pattern)), pattern.source).not.toEqual([]);
    for (const pattern of [/^\s*$/, /\S+/g, /^## (.*)$/m])
      expect(slowTexts(pattern.source, tried(pattern)), pattern.source).toEqual([]);
  });
});
