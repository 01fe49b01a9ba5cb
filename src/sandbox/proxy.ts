import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endpointIn, isAllowed, type NetworkEndpoint } from './allowed.ts';
import { elsewhere } from './elsewhere.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface ProxyOptions {
  /** See `isAllowed`. */
  readonly hosts: readonly string[];
  /** Where the user's own proxy is said, which is then gone through. */
  readonly env: Env;
  onRefused(endpoint: string): void;
}

/** A proxy that reaches the hosts it was told of and no others. What goes through a tunnel is not looked into. */
export function allowListProxy(options: ProxyOptions): Server {
  const server = createServer((asked, answer) => forward(asked, answer, options));
  server.on('connect', (asked: IncomingMessage, client: Duplex, head: Buffer) => tunnel(asked.url ?? '', client, head, options));
  return server;
}

function tunnel(target: string, client: Duplex, head: Buffer, options: ProxyOptions): void {
  client.on('error', () => client.destroy());
  const endpoint = endpointIn(target);
  if (!endpoint || !isAllowed(endpoint, options.hosts)) {
    options.onRefused(target);
    client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${refusal(target)}`);
    return;
  }
  const through = upstreamFor(endpoint, 'https', options.env);
  const server = through ? connect(portOf(through), bare(through.hostname)) : connect({ ...endpoint, lookup: elsewhere });
  const leave = (): void => {
    server.destroy();
  };
  client.once('close', leave);
  const fail = (): void => {
    server.destroy();
    client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n');
  };
  const begin = (first: Uint8Array = NOTHING): void => {
    client.off('close', leave);
    server.off('error', fail);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (first.length > 0) client.write(first);
    if (head.length > 0) server.write(head);
    joined(client, server);
  };
  server.once('error', fail);
  server.once('connect', () => {
    if (!through) return begin();
    server.write(connectLine(endpoint, through));
    void opened(server).then(begin, fail);
  });
}

const NOTHING = new Uint8Array();
/** As much as Node itself takes. */
const LONGEST_HEAD = 16_384;
const OPENED = /^HTTP\/1\.[01] 2\d\d[ \r]/;

/**
 * What came after the answer of a proxy beyond. Nothing of the client's is sent before it has said yes: whoever said no would take
 * what follows for further requests, to hosts that nobody has allowed.
 */
const opened = (server: Socket): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const refuse = (): void => reject(new Error('the proxy beyond did not open a tunnel'));
    const onData = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf('\r\n\r\n');
      if (end === -1 && seen.length <= LONGEST_HEAD) return;
      server.off('data', onData).off('close', refuse).pause();
      if (end === -1 || !OPENED.test(seen.toString('latin1', 0, end + 2))) refuse();
      else resolve(seen.subarray(end + 4));
    };
    server.on('data', onData).once('close', refuse);
  });

const connectLine = ({ host, port }: NetworkEndpoint, through: URL): string => {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const said = through.username === '' ? '' : `proxy-authorization: ${basic(through)}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${said}\r\n`;
};

function forward(asked: IncomingMessage, answer: ServerResponse, options: ProxyOptions): void {
  const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined;
  const endpoint = url?.protocol === 'http:' ? { host: bare(url.hostname), port: portOf(url) } : undefined;
  if (!url || !endpoint || !isAllowed(endpoint, options.hosts)) {
    options.onRefused(url?.host ?? String(asked.url));
    answer.writeHead(403, { 'content-type': 'text/plain' }).end(refusal(url?.host ?? 'this'));
    return;
  }
  const through = upstreamFor(endpoint, 'http', options.env);
  const { 'proxy-connection': _hop, 'proxy-authorization': _theirs, ...headers } = asked.headers;
  const sent = request({
    ...(through
      ? { host: bare(through.hostname), port: portOf(through), path: url.href }
      : { ...endpoint, path: url.pathname + url.search, lookup: elsewhere }),
    method: asked.method,
    headers: {
      ...headers,
      host: url.host,
      ...(through && through.username !== '' ? { 'proxy-authorization': basic(through) } : {}),
    },
  });
  sent.on('response', (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
  });
  sent.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  asked.on('error', () => sent.destroy());
  answer.once('close', () => sent.destroy());
  asked.pipe(sent);
}

const refusal = (target: string): string => `${target} is not among the sandbox_hosts of this fleet\n`;

/** The user's own proxy, where it is said and not excepted for this host. */
function upstreamFor({ host }: NetworkEndpoint, scheme: 'http' | 'https', env: Env): URL | undefined {
  const said = (name: string) => env[name.toLowerCase()] || env[name];
  const text = said(`${scheme.toUpperCase()}_PROXY`) || said('ALL_PROXY');
  if (!text || !URL.canParse(text) || !text.startsWith('http:')) return undefined;
  const exceptions = (said('NO_PROXY') ?? '').split(',').map((part) => part.trim().replace(/^\*?\./, ''));
  const isExcepted = exceptions.some((part) => part === '*' || (part !== '' && (host === part || host.endsWith(`.${part}`))));
  return isExcepted || isLoopback(host) ? undefined : new URL(text);
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);
const basic = ({ username, password }: URL): string =>
  `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;

/** How long an end may say nothing once the other has said its last. */
const LINGER_MS = 60_000;

/** Two ends of one connection: what ends one ends the other, once all is through. */
export function joined(one: Duplex | Socket, other: Duplex | Socket, lingerMs = LINGER_MS): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.end());
    from.once('end', () => {
      if ('setTimeout' in to) to.setTimeout(lingerMs, () => [from, to].forEach((end) => void end.destroy()));
    });
    from.pipe(to);
  }
  if (one.destroyed) other.destroy();
  if (other.destroyed) one.destroy();
}
