import type { Work } from './work.ts';

/** Whether the tree is the same that was rejected. */
export const isUnchangedSinceRejection = ({ rejected, tree }: Pick<Work, 'rejected' | 'tree'>): boolean =>
  rejected?.tree !== undefined && rejected.tree === tree;

/** The files in which the present commit conflicts with the target, as far as known. */
export const knownConflicts = ({ conflicts, tip }: Pick<Work, 'conflicts' | 'tip'>): readonly string[] =>
  conflicts !== undefined && conflicts.tip === tip ? conflicts.files : [];

const FILES_SHOWN = 10;

/** Tells a reviewer first that an approval alone would not make the work land. */
export const conflictText = (target: string, files: readonly string[]): string =>
  `it conflicts with ${target} in ${files.slice(0, FILES_SHOWN).join(', ')}${files.length > FILES_SHOWN ? ` and ${files.length - FILES_SHOWN} more` : ''}`;
