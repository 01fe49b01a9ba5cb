import { describe } from 'vitest';
import { blobConformance } from './blobs.ts';
import type { MakeRunLog } from './logs.ts';
import { streamConformance } from './streams.ts';

/** The conformance suite of every run log driver. */
export const runLogConformance = (name: string, make: MakeRunLog) =>
  describe(name, () => {
    blobConformance(make);
    streamConformance(make);
  });
