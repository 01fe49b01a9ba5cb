import { readFileSync } from 'node:fs';
import { Fault } from '../domain/fault.ts';
import { hasCode, makeOnceSync } from '../platform/files.ts';

/**
 * How everything but the database lies in a home: run directories and what their shims write, `up.json`, workspaces, notes.
 * The database has a number of its own, its schema. Raised by whoever changes any of it so that an older program would
 * misunderstand it, and end what it cannot read.
 */
const HOME_FORMAT = 1;

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

/** Says once how the home lies; a home of before there were formats is of the first. */
export const markFormat = (file: string): boolean =>
  formatIn(file) === undefined && makeOnceSync(file, `${JSON.stringify({ format: HOME_FORMAT })}\n`);

function formatIn(file: string): number | undefined {
  try {
    const { format } = JSON.parse(readFileSync(file, 'utf8')) as { format?: unknown };
    return typeof format === 'number' ? format : Number.NaN;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    return Number.NaN;
  }
}
