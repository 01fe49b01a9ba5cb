import { Fault } from '../../../domain/fault.ts';
import type { Web, WebContext } from '../../http/web.ts';
import type { EndpointDeps, McpEndpoint } from './endpoint.ts';

/** The routes of MCP. What is behind them is loaded when somebody first asks: most fleets start without it. */
export function mountMcp(web: Web, needs: EndpointDeps): { close(): Promise<void> } {
  let endpoint: Promise<McpEndpoint> | undefined;
  const loaded = () => (endpoint ??= import('./endpoint.ts').then(({ mcpEndpoint }) => mcpEndpoint(needs)));
  const at = (name: 'answer' | 'stream' | 'post' | 'once') => async (asked: WebContext) => (await loaded())[name](asked);
  web.on(['GET', 'POST', 'DELETE'], ['/mcp', '/mcp/'], at('answer'));
  web.get('/mcp/sse', at('stream'));
  web.on('POST', ['/mcp/messages', '/mcp/messages/'], at('post'));
  web.post('/mcp/run', at('once'));
  for (const path of ['/mcp', '/mcp/'])
    web.all(path, () => {
      throw new Fault('invalid', 'MCP is spoken with GET, POST and DELETE', { status: 405 });
    });
  return {
    close: async () => {
      await (await endpoint)?.close();
    },
  };
}
