import { Hold } from '../../domain/hold/hold.ts';
import { records } from './record.ts';

export const holds = records<Hold>({ kind: 'hold', schema: Hold, idOf: ({ scope }) => scope, entriesOf: () => [] });
