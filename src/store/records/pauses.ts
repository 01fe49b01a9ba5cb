import { Pause } from '../../domain/hold/pause.ts';
import { records } from './record.ts';

export const pauseIndex = { all: 'pause.all' } as const;

export const pauses = records<Pause>({
  kind: 'pause',
  schema: Pause,
  idOf: ({ id }) => id,
  entriesOf: ({ id }) => [{ index: pauseIndex.all, sort: id }],
});
