import type { Web } from '../http/web.ts';
import type { LiveDeps } from './deps.ts';
import { Hub } from './hub.ts';
import { type OnUpgrade, socketDoor } from './socket.ts';
import { mountSse } from './sse.ts';

/** Live streams, as server-sent events and over WebSockets. */
export interface Live {
  readonly onUpgrade: OnUpgrade;
  /** Ends every stream within a second; whoever comes afterwards is told to try again. */
  close(): Promise<void>;
}

export function mountLive(web: Web, needs: LiveDeps): Live {
  const hub = new Hub(needs);
  mountSse(web, hub);
  return { onUpgrade: socketDoor(hub, needs), close: () => hub.close() };
}
