import { LIMITS } from '../../domain/limits.ts';

/** How much is taken in from a private clone. */
export interface IntakeBounds {
  /** One file, and all that are new or changed together. */
  readonly fileBytes: number;
  readonly allBytes: number;
  /** Files that a commit adds or changes, with every directory unfolded. */
  readonly files: number;
  /** Refs besides the branch of the task. */
  readonly refs: number;
  readonly packBytes: number;
  /** Of a git that looks at what is handed in. */
  readonly memoryBytes: number;
  /** What a collector says besides its pack. */
  readonly saidBytes: number;
}

export const BOUNDS: IntakeBounds = {
  fileBytes: LIMITS.keptFileBytes.value,
  allBytes: LIMITS.takenBytes.value,
  files: LIMITS.takenFiles.value,
  refs: LIMITS.takenRefs.value,
  packBytes: LIMITS.takenPackBytes.value,
  memoryBytes: LIMITS.takenMemoryBytes.value,
  saidBytes: LIMITS.collectorSaysBytes.value,
};
