import { storeConformance } from '../conformance/store-conformance.ts';
import { MemoryDisk } from './memory-disk.ts';
import { openMemoryStore } from './memory-store.ts';

storeConformance('memory store', async () => {
  const disk = new MemoryDisk();
  return { open: async () => openMemoryStore(disk), [Symbol.asyncDispose]: async () => {} };
});
