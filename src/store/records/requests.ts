import { z } from 'zod';
import { Instant } from '../../domain/values.ts';
import { records } from './record.ts';

export const requestIndex = { age: 'request.age' } as const;

/** A keyed command that was carried out, and its answer: whoever asks again with the same key is told the same. */
const Request = z.strictObject({
  id: z.string(),
  operation: z.string(),
  inputHash: z.string(),
  answer: z.unknown(),
  at: Instant,
});
export type Request = z.infer<typeof Request>;

export const requests = records<Request>({
  kind: 'request',
  schema: Request,
  idOf: ({ id }) => id,
  entriesOf: ({ id, at }) => [{ index: requestIndex.age, sort: `${at}/${encodeURIComponent(id)}` }],
});
