import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { hasCode, PRIVATE_DIRECTORY, PRIVATE_FILE, temporaryName } from './files.ts';

/** One thing that is to be there, as data: it may be handed to another process to be done. */
export type Step =
  | { readonly lay: 'directory'; readonly path: string }
  /** Stays as it is where there is one. */
  | { readonly lay: 'once'; readonly path: string; readonly text: string }
  | { readonly lay: 'file'; readonly path: string; readonly text: string }
  /** Seen whole by whoever reads it meanwhile, or not at all. */
  | { readonly lay: 'whole'; readonly path: string; readonly text: string }
  | { readonly lay: 'link'; readonly path: string; readonly target: string };

/**
 * Puts everything where it belongs, in this order; doing it again changes nothing. Nothing is flushed to disk. Synchronous:
 * a dozen short calls, where as many trips to other threads take milliseconds on a busy machine.
 */
export function laySync(steps: readonly Step[]): void {
  for (const step of steps) layOne(step);
}

function layOne(step: Step): void {
  const { path } = step;
  switch (step.lay) {
    case 'directory':
      mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
      break;
    case 'once':
      unlessThere(() => writeFileSync(path, step.text, { flag: 'wx', mode: PRIVATE_FILE }));
      break;
    case 'file':
      writeFileSync(path, step.text, { mode: PRIVATE_FILE });
      break;
    case 'whole':
      replaced(path, (temporary) => writeFileSync(temporary, step.text, { flag: 'wx', mode: PRIVATE_FILE }));
      break;
    case 'link':
      if (!unlessThere(() => symlinkSync(step.target, path))) replaced(path, (temporary) => symlinkSync(step.target, temporary));
  }
}

function replaced(path: string, write: (temporary: string) => void): void {
  const temporary = temporaryName(path);
  write(temporary);
  renameSync(temporary, path);
}

/** Whether it was made now. */
function unlessThere(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return false;
  }
}
