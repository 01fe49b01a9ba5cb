import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Fault } from '../domain/fault.ts';
import { hasCode, makeOnceSync, PRIVATE_FILE, temporaryName } from '../platform/files.ts';

/**
 * How everything but the database lies in a home: run directories and what their shims write, `up.json`, workspaces, notes.
 * The database has a number of its own, its schema. Raised by whoever changes any of it so that an older program would
 * misunderstand it, and end what it cannot read.
 */
export const HOME_FORMAT = 3;

/** Before anything else: what a newer program has written is not touched, and its agents run on. */
export function assertKnownFormat(file: string): void {
  const seen = formatIn(file);
  if (seen === undefined || seen <= HOME_FORMAT) return; // never true of NaN
  const what = Number.isNaN(seen)
    ? 'says nothing this program understands'
    : `is of format ${seen}, this program knows ${HOME_FORMAT}`;
  throw new Fault('unavailable', `this home was written by another Fleet: ${file} ${what}; nothing was touched`, {
    file,
    hint: 'run the newer program again; agents that run go on meanwhile',
  });
}

const TEXT = `${JSON.stringify({ format: HOME_FORMAT })}\n`;

/** Says how the home lies, from the first time on that this program makes something in it; an older format is read, and raised. */
export function markFormat(file: string): boolean {
  const seen = formatIn(file);
  if (seen === undefined) return makeOnceSync(file, TEXT);
  if (seen < HOME_FORMAT) replaceSync(file, TEXT);
  return false;
}

function replaceSync(file: string, text: string): void {
  const temporary = temporaryName(file);
  writeFileSync(temporary, text, { flag: 'wx', mode: PRIVATE_FILE });
  renameSync(temporary, file);
}

function formatIn(file: string): number | undefined {
  try {
    const { format } = JSON.parse(readFileSync(file, 'utf8')) as { format?: unknown };
    return typeof format === 'number' ? format : Number.NaN;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    return Number.NaN;
  }
}
