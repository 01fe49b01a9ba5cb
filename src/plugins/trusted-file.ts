import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Why the code in a file must not be loaded: another user could have written it. Undefined if only this user and root could.
 * The directory counts too, because a user who may write there can replace the file.
 */
export function distrustReason(file: string, user: number): string | undefined {
  const real = realpathSync(file);
  for (const path of new Set([real, dirname(real), dirname(file)])) {
    const why = reason(path, statSync(path), user);
    if (why !== undefined) return why;
  }
  return undefined;
}

function reason(path: string, { uid, mode }: Stats, user: number): string | undefined {
  if (uid !== user && uid !== 0) return `${path} belongs to another user (${uid}): chown it to yourself if you trust it`;
  return (mode & WRITABLE_BY_OTHERS) === 0 ? undefined : `${path} can be written by others: chmod go-w ${path}`;
}
