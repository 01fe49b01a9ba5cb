import { describe } from 'vitest';
import { blobConformance } from './blobs.ts';
import type { MakeRunLog } from './logs.ts';
import { streamConformance } from './streams.ts';

/** What every driver of the second port must pass to be one. */
export const runLogConformance = (name: string, make: MakeRunLog) =>
  describe(name, () => {
    blobConformance(make);
    streamConformance(make);
  });
