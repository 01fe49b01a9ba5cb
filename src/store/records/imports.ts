import { z } from 'zod';
import { TaskId } from '../../domain/values.ts';
import { records } from './record.ts';

/** Which task came from which line of somebody else's file: reading the file again makes nothing twice. */
const Import = z.strictObject({ source: z.string(), taskId: TaskId });

export const imports = records<z.infer<typeof Import>>({
  kind: 'import',
  schema: Import,
  idOf: ({ source }) => source,
  entriesOf: () => [],
});
