import type { Work } from './work.ts';

/** Whether the very tree that was refused is there again. */
export const isUnchanged = ({ rejected, tree }: Pick<Work, 'rejected' | 'tree'>): boolean =>
  rejected?.tree !== undefined && rejected.tree === tree;

/** In which files it conflicts with the target, as far as is known of the commit it is now. */
export const conflictsOf = ({ conflicts, tip }: Pick<Work, 'conflicts' | 'tip'>): readonly string[] =>
  conflicts !== undefined && conflicts.tip === tip ? conflicts.files : [];

const SHOWN = 10;

/** What whoever is to review it must know before all else: their yes alone would not bring it onto the target. */
export const conflictText = (target: string, files: readonly string[]): string =>
  `it conflicts with ${target} in ${files.slice(0, SHOWN).join(', ')}${files.length > SHOWN ? ` and ${files.length - SHOWN} more` : ''}`;
