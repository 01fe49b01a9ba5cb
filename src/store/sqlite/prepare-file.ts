import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { hasCode, makeDirectorySync, makeOnceSync } from '../../platform/files.ts';

/** Sees to it that SQLite finds a file it may write, or says in words why that cannot be. */
export function prepareFile(file: string): void {
  const directory = dirname(file);
  makeOwn(directory);
  if (!statSync(directory).isDirectory()) throw refuse(directory, 'is not a directory; expected the home of fleet');
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw refuse(file, 'is a directory; expected a database file, check FLEET_HOME');
  assertWritable(directory, 'the directory');
  if (found === undefined) makeOnceSync(file, '');
  else assertWritable(file, 'the database');
}

function makeOwn(directory: string): void {
  try {
    makeDirectorySync(directory);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) {
      throw refuse(directory, `does not exist, nor does ${dirname(directory)}; make it or set FLEET_HOME`, cause);
    }
    if (hasCode(cause, 'ENOTDIR'))
      throw refuse(directory, 'cannot be made: a part of its path is a file; check FLEET_HOME', cause);
    throw refuse(directory, 'cannot be made; check who may write its parent, or set FLEET_HOME', cause);
  }
}

function assertWritable(path: string, what: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw refuse(path, `cannot be read and written; give this user ${what}, or set FLEET_HOME`, cause);
  }
}

const refuse = (path: string, seen: string, cause?: unknown): Fault =>
  new Fault('unavailable', `${path} ${seen}`, { path }, { cause });
