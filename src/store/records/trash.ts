import { z } from 'zod';
import { Instant } from '../../domain/values.ts';
import { records } from './record.ts';

export const trashIndex = { all: 'trash.all' } as const;

/** Something that was deleted, whose history is still to be swept away: it may be longer than one commit. */
const DeletedThing = z.strictObject({ id: z.string(), seq: z.int().min(0), at: Instant });
export type Trash = z.infer<typeof DeletedThing>;

export const trash = records<Trash>({
  kind: 'trash',
  schema: DeletedThing,
  idOf: ({ id }) => id,
  entriesOf: ({ id }) => [{ index: trashIndex.all, sort: id }],
});
