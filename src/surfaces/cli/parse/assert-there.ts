import { Fault } from '../../../domain/fault.ts';
import type { Command } from '../command.ts';
import type { Io } from '../deps.ts';
import type { CliArguments } from './read-arguments.ts';

/** A path in a directory that was deleted leads nowhere: that is said of the directory, not of the path. */
export function assertThere(
  { positionals, flags }: Command,
  { input, local }: Pick<CliArguments, 'input' | 'local'>,
  io: Pick<Io, 'cwd' | 'cwdIsGone'>,
): void {
  if (!io.cwdIsGone) return;
  for (const { isPath, local: isLocal, field } of [...positionals, ...flags]) {
    const value = isPath && (isLocal ? local : input)[field];
    if (typeof value === 'string' && (value === io.cwd || value.startsWith(`${io.cwd}/`))) throw directoryGone(io.cwd);
  }
}

export const directoryGone = (cwd: string): Fault =>
  new Fault('invalid', `the directory you are in is gone: ${cwd} was deleted or moved`, {
    hint: 'cd to a directory that exists, or name a place by its whole path',
  });
