import type { ScratchGitDir } from '../git/scratch-git-dir.ts';
import type { MergeAnswer, MergeNote } from './merge-answer.ts';

const MAX_FILES = 20;
const MAX_LINES_PER_FILE = 80;
const MAX_LINE = 400;
const MAX_BLOB_BYTES = 1024 * 1024;
const AROUND = 3;

/** What somebody needs to repair it: for each file what kind of conflict it is, and where git could, the lines with its marks. */
export async function conflictText(side: ScratchGitDir, merge: MergeAnswer): Promise<string> {
  const conflicts = merge.notes.filter(({ kind }) => kind.startsWith('CONFLICT'));
  const files = [...new Set([...conflicts.flatMap(({ paths }) => paths.slice(0, 1)), ...merge.stages.map(({ path }) => path)])];
  const parts: string[] = [];
  for (const path of files.slice(0, MAX_FILES)) parts.push(await fileText(side, merge, path));
  const left = files.length - MAX_FILES;
  return [...parts, ...(left > 0 ? [`… and ${left} more files`] : [])].join('\n\n');
}

async function fileText(side: ScratchGitDir, merge: MergeAnswer, path: string): Promise<string> {
  const said = merge.notes.filter((note) => note.paths[0] === path && note.kind.startsWith('CONFLICT'));
  const heading = `${printable(path)}: ${said.map(kindOf).join(', ') || 'conflict'}`;
  const words = said.map(({ text }) => `  ${printable(text)}`);
  const stages = merge.stages.filter((stage) => stage.path === path);
  const sides = stages.map(({ mode, id, stage }) => `  ${SIDES[stage]}: ${mode} ${id}`);
  return [heading, ...words, ...sides, ...(await excerpt(side, merge, path))].join('\n');
}

const SIDES = { 1: 'before', 2: 'target', 3: 'this branch' } as const;

const kindOf = ({ kind }: MergeNote): string => /^CONFLICT \((.*)\)$/.exec(kind)?.[1] ?? kind;

/** The marked places with a few lines around them. Binary files, links and submodules have none. */
async function excerpt(side: ScratchGitDir, { tree, stages }: MergeAnswer, path: string): Promise<string[]> {
  const isText = stages.some((stage) => stage.path === path && stage.mode.startsWith('100'));
  if (!isText) return [];
  const ran = await side.run(['cat-file', 'blob', `${tree}:${path}`], { maxBytes: MAX_BLOB_BYTES });
  if (ran.code !== 0 || ran.out.includes(0)) return [];
  const lines = ran.out.toString('utf8').split('\n');
  const shown = linesToShow(lines);
  const rows: string[] = [];
  let before = -1;
  for (const number of shown.slice(0, MAX_LINES_PER_FILE)) {
    if (number !== before + 1) rows.push('  …');
    rows.push(`  ${String(number + 1).padStart(4)} | ${printable((lines[number] ?? '').slice(0, MAX_LINE))}`);
    before = number;
  }
  return shown.length > MAX_LINES_PER_FILE ? [...rows, `  … ${shown.length - MAX_LINES_PER_FILE} more lines`] : rows;
}

function linesToShow(lines: readonly string[]): number[] {
  const shown = new Set<number>();
  let inside = false;
  for (const [number, line] of lines.entries()) {
    const opens = line.startsWith('<<<<<<<');
    const closes = line.startsWith('>>>>>>>');
    inside ||= opens;
    if (inside) for (let near = number - (opens ? AROUND : 0); near <= number + (closes ? AROUND : 0); near += 1) shown.add(near);
    if (closes) inside = false;
  }
  return [...shown].filter((number) => number >= 0 && number < lines.length).sort((one, other) => one - other);
}

/** A name or a line cannot move the cursor or end the line of whoever reads it. */
const printable = (text: string): string =>
  text.replaceAll(/[\0-\x08\x0a-\x1f\x7f-\x9f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
