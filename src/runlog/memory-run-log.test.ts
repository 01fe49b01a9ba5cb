import { runLogConformance } from './conformance/run-log-conformance.ts';
import { openMemoryRunLog } from './memory-run-log.ts';

runLogConformance('memory run log', async (clock) => ({ log: openMemoryRunLog(clock), [Symbol.asyncDispose]: async () => {} }));
