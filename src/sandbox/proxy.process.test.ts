import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Server as PlainServer, createServer as plainServer, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { allowListProxy, joined } from './proxy.ts';

const open: (Server | PlainServer)[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => new Promise((done) => server.close(done)))));

async function listening<One extends Server | PlainServer>(server: One): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const echo = (word: string): Server =>
  createServer((asked, answer) =>
    answer.setHeader('connection', 'close').end(`${word} ${asked.method} ${asked.url} ${asked.headers.host}`),
  );

/** Through a proxy, as an ordinary request. */
const asked = (proxy: number, url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request({ port: proxy, host: '127.0.0.1', path: url, headers: { connection: 'close' } }, (answer) => {
      let text = `${answer.statusCode} `;
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve(text));
    });
    sent.on('error', reject).end();
  });

/** Through a tunnel: what comes back, in all. */
const tunnelled = (proxy: number, target: string, say: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(proxy, '127.0.0.1', () => socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n${say}`));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });

const GET = 'GET /deep HTTP/1.1\r\nhost: inner\r\nconnection: close\r\n\r\n';

it('passes on what goes to an allowed host and refuses the rest before anybody hears of it', async () => {
  const [good, bad] = [await listening(echo('good')), await listening(echo('bad'))];
  const refused: string[] = [];
  const proxy = await listening(
    allowListProxy({ hosts: [`127.0.0.1:${good}`], env: {}, onRefused: (what) => refused.push(what) }),
  );
  expect(await asked(proxy, `http://127.0.0.1:${good}/a?b=c`)).toBe(`200 good GET /a?b=c 127.0.0.1:${good}`);
  expect(await asked(proxy, `http://127.0.0.1:${bad}/a`)).toMatch(/^403 127\.0\.0\.1:\d+ is not among the sandbox_hosts/);
  expect(await asked(proxy, '/no/address')).toMatch(/^403 /);
  expect(await tunnelled(proxy, `127.0.0.1:${good}`, GET)).toMatch(/^HTTP\/1\.1 200 [^]*good GET \/deep inner$/);
  expect(await tunnelled(proxy, `127.0.0.1:${bad}`, GET)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await tunnelled(proxy, 'nonsense', GET)).toMatch(/^HTTP\/1\.1 403 /);
  expect(refused).toEqual([`127.0.0.1:${bad}`, '/no/address', `127.0.0.1:${bad}`, 'nonsense']);
});

it('says that an allowed host is not there', async () => {
  const gone = plainServer();
  const port = await listening(gone);
  open.splice(open.indexOf(gone), 1);
  await new Promise((done) => gone.close(done));
  const proxy = await listening(allowListProxy({ hosts: [`127.0.0.1:${port}`], env: {}, onRefused: () => undefined }));
  expect(await asked(proxy, `http://127.0.0.1:${port}/`)).toMatch(/^502 /);
  expect(await tunnelled(proxy, `127.0.0.1:${port}`, '')).toMatch(/^HTTP\/1\.1 502 /);
});

it('goes through the proxy of the user, with its log-in, unless that is excepted', async () => {
  const heard: string[] = [];
  const upstream = createServer((got, answer) => {
    heard.push(`${got.url} ${got.headers['proxy-authorization']}`);
    answer.setHeader('connection', 'close').end('from upstream');
  });
  upstream.on('connect', (got, socket) => {
    heard.push(`${got.url} ${got.headers['proxy-authorization']}`);
    socket.end('HTTP/1.1 200 OK\r\n\r\nthrough upstream');
  });
  const at = await listening(upstream);
  const env = {
    HTTP_PROXY: `http://me:pass%20word@127.0.0.1:${at}`,
    https_proxy: `http://127.0.0.1:${at}`,
    NO_PROXY: 'inside.example',
  };
  const hosts = ['api.example.org', 'db.inside.example'];
  const proxy = await listening(allowListProxy({ hosts, env, onRefused: () => undefined }));
  expect(await asked(proxy, 'http://api.example.org/x')).toBe('200 from upstream');
  expect(await tunnelled(proxy, 'api.example.org:443', '')).toContain('through upstream');
  expect(await tunnelled(proxy, 'other.example.org:443', '')).toMatch(/^HTTP\/1\.1 403 /);
  const login = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
  expect(heard).toEqual([`http://api.example.org/x ${login}`, 'api.example.org:443 undefined']);
  expect(await asked(proxy, 'http://db.inside.example/x')).toMatch(/^502 /);
  expect(heard).toHaveLength(2);
});

/** A proxy beyond that answers so whatever it is asked, and goes on listening. */
async function beyond(...answers: readonly string[]) {
  const heard: string[] = [];
  const at = await listening(
    plainServer((socket) => {
      const left = [...answers];
      const say = (): void => {
        const part = left.shift();
        if (part !== undefined) socket.write(part, say);
      };
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          if (heard.push(chunk.toString()) === 1) say();
        });
    }),
  );
  const proxy = await listening(
    allowListProxy({ hosts: ['api.example.org'], env: { HTTPS_PROXY: `http://127.0.0.1:${at}` }, onRefused: () => undefined }),
  );
  return { proxy, heard };
}

it('says nothing of a client to a proxy beyond that has not opened a tunnel, which would take it for a request [RUN-16] [T11]', async () => {
  for (const no of [
    'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 2000\r\n\r\n',
    `HTTP/1.1 200 ${'x'.repeat(20_000)}`,
  ]) {
    const { proxy, heard } = await beyond(no);
    const smuggled = 'CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: elsewhere.example:443\r\n\r\n';
    expect(await tunnelled(proxy, 'api.example.org:443', smuggled)).toMatch(/^HTTP\/1\.1 502 /);
    expect(heard).toEqual(['CONNECT api.example.org:443 HTTP/1.1\r\nhost: api.example.org:443\r\n\r\n']);
  }
});

it('passes on what comes after the answer of a proxy beyond, however it is cut', async () => {
  const { proxy, heard } = await beyond('HTTP/1.1 200 O', 'K\r\nvia: it\r\n\r', '\nhel', 'lo');
  const socket = connect(proxy, '127.0.0.1', () => socket.write('CONNECT api.example.org:443 HTTP/1.1\r\n\r\nfirst'));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  await vi.waitFor(() => expect(text).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nhello$/));
  await vi.waitFor(() => expect(heard.slice(1)).toEqual(['first']));
  socket.destroy();
});

it('leaves nothing open beyond for a client that has gone', async () => {
  const seen = new Set<Socket>();
  const silent = plainServer((socket) => {
    seen.add(socket);
    socket
      .resume()
      .on('error', () => undefined)
      .on('close', () => seen.delete(socket));
  });
  const port = await listening(silent);
  const proxy = await listening(allowListProxy({ hosts: [`127.0.0.1:${port}`], env: {}, onRefused: () => undefined }));
  for (const line of [`GET http://127.0.0.1:${port}/ HTTP/1.1`, `CONNECT 127.0.0.1:${port} HTTP/1.1`]) {
    const client = connect(proxy, '127.0.0.1', () => client.write(`${line}\r\nhost: x\r\n\r\n`));
    await vi.waitFor(() => expect(seen.size).toBe(1));
    client.destroy();
    await vi.waitFor(() => expect(seen.size).toBe(0));
  }
});

it('does not wait for ever for one end where the other has said its last', async () => {
  const ends: Socket[] = [];
  const server = plainServer({ allowHalfOpen: true }, (socket) => void ends.push(socket));
  const port = await listening(server);
  const [one, two] = [connect(port, '127.0.0.1'), connect({ port, host: '127.0.0.1', allowHalfOpen: true })];
  await vi.waitFor(() => expect(ends).toHaveLength(2));
  const [first, second] = ends;
  if (!first || !second) return expect.unreachable();
  joined(first, second, 50);
  one.end();
  await vi.waitFor(() => expect([first.destroyed, second.destroyed]).toEqual([true, true]));
  for (const socket of [one, two]) socket.destroy();
});

it('takes no other spelling of an address or of a host for one that is allowed [RUN-16] [T11]', async () => {
  const proxy = await listening(
    allowListProxy({ hosts: ['api.example.org', '*.wide.example'], env: {}, onRefused: () => undefined }),
  );
  const addresses = [
    '127.0.0.1:80',
    '0.0.0.0:80',
    '2130706433:80',
    '0x7f.1:80',
    '[::1]:80',
    '[::ffff:127.0.0.1]:80',
    'localhost.:80',
  ];
  const names = [
    ...['api.example.org@evil.example:443', 'api.example.org:443:80', 'api.example.org%2eevil.example:443', 'api.example.org:22'],
    ...[
      'evil.example\0.wide.example:443',
      'api.example.org\0.evil.example:443',
      'evil.example#.wide.example/:443',
      'wide.example:443',
    ],
  ];
  for (const target of [...addresses, ...names])
    expect([target, await tunnelled(proxy, target, '')]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 40[03] /)]);
  for (const url of [
    'http://127.1/',
    'http://0/',
    'http://[::]/',
    'http://api.example.org@evil.example/',
    'file:///etc/passwd',
    'http://api.example.org:22/',
  ])
    expect([url, await asked(proxy, url)]).toEqual([url, expect.stringMatching(/^403 /)]);
});
