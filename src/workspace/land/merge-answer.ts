/** One side of a path that could not be merged: 1 is what both began with, 2 is the target's, 3 is the other's. */
export interface ConflictStage {
  readonly mode: string;
  readonly id: string;
  readonly stage: 1 | 2 | 3;
  readonly path: string;
}

export interface MergeNote {
  readonly paths: readonly string[];
  /** Git's name for what happened, such as `CONFLICT (contents)`. */
  readonly kind: string;
  readonly text: string;
}

export interface MergeAnswer {
  readonly clean: boolean;
  readonly tree: string;
  readonly stages: readonly ConflictStage[];
  readonly notes: readonly MergeNote[];
  /** Paths whose content both sides changed. */
  readonly melded: readonly string[];
}

/**
 * What `merge-tree -z --messages` prints: the tree, then stages `mode id n TAB path`, an empty part, then messages of
 * a count, so many paths, a kind and a text. Where all is clean there are no stages.
 */
export function readMerge(out: Buffer, clean: boolean): MergeAnswer {
  const parts = out.toString('utf8').split('\0');
  const tree = parts[0] ?? '';
  const stages: ConflictStage[] = [];
  let at = 1;
  for (; at < parts.length && parts[at] !== ''; at += 1) {
    const [, mode = '', id = '', stage, path = ''] = /^(\d+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(parts[at] ?? '') ?? [];
    if (stage === undefined) break;
    stages.push({ mode, id, stage: Number(stage) as ConflictStage['stage'], path });
  }
  const notes = readNotes(parts, parts[at] === '' ? at + 1 : at);
  const melded = notes.filter(({ kind }) => kind === 'Auto-merging' || kind.startsWith('CONFLICT')).flatMap(({ paths }) => paths);
  return { clean, tree, stages, notes, melded: [...new Set(melded)] };
}

function readNotes(parts: readonly string[], start: number): MergeNote[] {
  const notes: MergeNote[] = [];
  for (let at = start; at < parts.length - 1; ) {
    const count = Number(parts[at]);
    if (!Number.isInteger(count)) break;
    notes.push({
      paths: parts.slice(at + 1, at + 1 + count),
      kind: parts[at + 1 + count] ?? '',
      text: (parts[at + 2 + count] ?? '').trimEnd(),
    });
    at += count + 3;
  }
  return notes;
}
