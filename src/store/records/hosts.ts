import { Host } from '../../domain/host.ts';
import type { Store } from '../port.ts';
import { records } from './record.ts';

export const hostIndex = { all: 'host.all' } as const;

export const hosts = records<Host>({
  kind: 'host',
  schema: Host,
  idOf: ({ id }) => id,
  entriesOf: ({ id }) => [{ index: hostIndex.all, sort: id }],
});

/** What people call a host; its id where nobody has said a name. */
export const hostNameOf = async (store: Pick<Store, 'get'>, id: string): Promise<string> =>
  (await hosts.get(store, id))?.body.name ?? id;
