import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { DOOR, TO_NETWORK } from './plan.ts';
import { joined } from './proxy.ts';

/**
 * Opens the proxy on the loopback of the sandbox, and these ports of the machine's own loopback under their numbers.
 * Answers what programs are to be told: everything goes through the proxy but what is in here.
 */
export async function openWays(ports: readonly number[]): Promise<Record<string, string>> {
  const server = createServer((client) => joined(quiet(client), quiet(toProxy())));
  const at = `http://127.0.0.1:${await listening(server, 0)}`;
  // One that is taken, or is not for ordinary users, is missed by whoever needs it and by nobody else.
  for (const port of ports) await listening(createServer(tunnelTo(port)), port).catch(() => 0);
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const here = 'localhost,127.0.0.1,::1';
  return { ...Object.fromEntries(names.map((name) => [name, at])), NO_PROXY: here, no_proxy: here, NODE_USE_ENV_PROXY: '1' };
}

const toProxy = (): Socket => dial(`${DOOR}/${TO_NETWORK}`);

const tunnelTo = (port: number) => (client: Socket) => {
  const way = quiet(toProxy());
  way.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  let head = '';
  const onHead = (chunk: Buffer): void => {
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    way.off('data', onHead);
    if (!head.startsWith('HTTP/1.1 200')) return void client.destroy();
    client.write(Buffer.from(head.slice(end + 4), 'latin1'));
    joined(quiet(client), way);
  };
  way.on('data', onHead);
};

const quiet = (socket: Socket): Socket => socket.on('error', () => socket.destroy());

/** The agent alone decides how long all this lasts. */
const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    server.unref();
  });
