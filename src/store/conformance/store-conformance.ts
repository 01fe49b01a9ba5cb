import { describe } from 'vitest';
import { closeConformance } from './close.ts';
import { commitConformance } from './commit.ts';
import { limitsConformance } from './limits.ts';
import { revisionConformance } from './revision.ts';
import { rivalsConformance } from './rivals.ts';
import { scanConformance } from './scan.ts';
import type { MakeStorage } from './storage.ts';
import { watchConformance } from './watch.ts';

/** What every driver must pass to be one. */
export const storeConformance = (name: string, make: MakeStorage) =>
  describe(name, () => {
    commitConformance(make);
    scanConformance(make);
    rivalsConformance(make);
    watchConformance(make);
    revisionConformance(make);
    limitsConformance(make);
    closeConformance(make);
  });
