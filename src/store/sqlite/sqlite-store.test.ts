import { storeConformance } from '../conformance/store-conformance.ts';
import { temporaryStorage } from './fixtures/temporary-storage.ts';

storeConformance('sqlite store', async () => temporaryStorage());
// Where Node has its own SQLite, the library for older ones is proved as well.
if (process.getBuiltinModule('node:sqlite') !== undefined)
  storeConformance('sqlite store, libsql', async () => temporaryStorage('libsql'));
