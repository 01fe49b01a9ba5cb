import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, gone } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';
import { PlainClient } from '../support/live-client.ts';

/** Like a word: nothing about it looks like a key. */
const plainWord = () => Array.from(randomBytes(24), (byte) => 'abcdefghijklmnopqrstuvwxyz'.charAt(byte % 26)).join('');

const SCRIPT = [
  'echo "whole $SERVICE_TOKEN"',
  'a=$(printf %s "$SERVICE_TOKEN" | cut -c1-11); b=$(printf %s "$SERVICE_TOKEN" | cut -c12-)',
  'printf "split %s" "$a"; sleep 0.2; printf "%s end\\n" "$b"',
  `printf '{"type":"said","text":"it is %s, really"}\\n' "$SERVICE_TOKEN"`,
  `printf '["one",["%s"],{"deep":["%s"]}]\\n' "$SERVICE_TOKEN" "$SERVICE_TOKEN"`,
  'printf "%s" "user:$SERVICE_TOKEN" | base64',
  'echo "to stderr $SERVICE_TOKEN" >&2',
  'until [ -e ../go ]; do sleep 0.1; done',
  'echo "afterwards $SERVICE_TOKEN"',
  'printf "no newline %s" "$SERVICE_TOKEN"',
  'exit 0',
].join('\n');

/** Everything about a run that can be asked for, and every file but its spools. */
async function everything(house: FaultHouse, id: string): Promise<readonly (readonly [string, string])[]> {
  const [run] = await house.runs(id);
  const ask = async (...args: string[]) => [args.join(' '), (await house.ok(args)).out] as const;
  const files = (await readdir(house.home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !(entry.name === 'out' || entry.name === 'err'))
    .map((entry) => join(entry.parentPath, entry.name));
  return [
    await ask('task', 'log', id),
    await ask('task', 'log', id, '--stream', 'err'),
    await ask('task', 'log', id, '--json'),
    await ask('task', 'log', id, '--raw'),
    await ask('run', 'log', run?.id ?? ''),
    await ask('run', 'log', run?.id ?? '', '--stream', 'err', '--json'),
    await ask('run', 'show', run?.id ?? '', '--json'),
    await ask('task', 'show', id, '--json'),
    await ask('task', 'events', id, '--json'),
    ...(await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const))),
  ];
}

const leaks = (shown: readonly (readonly [string, string])[], secret: string) => {
  const inBase64 = Buffer.from(`user:${secret}`).toString('base64').slice(8, -6);
  return shown.filter(([, text]) => text.includes(secret) || text.includes(inBase64)).map(([where]) => where);
};

describe('a secret that only the engine had', () => {
  fullOnly('is shown to nobody who has it not: while the run goes on, after it, and after another engine took over', async () => {
    await using house = await faultHouse();
    const secret = plainWord();
    const env: Record<string, string> = house.env;
    env['SERVICE_TOKEN'] = secret;
    const engine = await house.up();
    delete env['SERVICE_TOKEN'];
    const ids = await house.queue([{ title: 'talks', script: SCRIPT }]);
    const id = ids.get('talks') ?? '';
    await vi.waitFor(async () => expect((await house.said(id)).split('\n').length).toBeGreaterThan(5), 20_000);
    const following = house.fleet(['task', 'log', id, '--follow']);
    const before = await everything(house, id);
    expect(leaks(before, secret)).toEqual([]);
    // Another engine, which never had the secret, reads what comes from now on.
    await gone(engine.process);
    const second = await house.up();
    await writeFile(join(house.directory, 'go'), '');
    await house.settled([id]);
    const after = await everything(house, id);
    expect(leaks([...after, ['follow', (await following).out], ['log', engine.log() + second.log()]], secret)).toEqual([]);
    expect((await house.said(id)).split('\n')).toEqual([
      'whole [redacted]',
      'split [redacted] end',
      '{"type":"said","text":"it is [redacted], really"}',
      '["one",["[redacted]"],{"deep":["[redacted]"]}]',
      expect.stringContaining('[redacted]'),
      'afterwards [redacted]',
      'no newline [redacted]',
      '',
    ]);
    const [run] = await house.runs(id);
    const spool = await readFile(join(house.home, 'runs', run?.id ?? '', 'out'), 'utf8');
    expect(spool.split(secret).length - 1).toBe(7);
    for (const file of [join(house.home, 'redaction.key'), join(house.home, 'runs', run?.id ?? '', 'secrets.json')])
      expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  });

  it('keeps its output back when it cannot be told any more what is secret in it', async () => {
    await using house = await faultHouse();
    const secret = plainWord();
    const env: Record<string, string> = house.env;
    env['SERVICE_TOKEN'] = secret;
    await house.up();
    delete env['SERVICE_TOKEN'];
    const ids = await house.queue([{ title: 'talks', script: 'echo "it is $SERVICE_TOKEN"\nexit 0' }]);
    await house.settled(ids.values());
    await rm(join(house.home, 'redaction.key'));
    const { code, out, err } = await house.fleet(['task', 'log', ids.get('talks') ?? '']);
    expect(out + err).not.toContain(secret);
    expect(err).toContain('which secrets the output may hold is not known');
    expect(code).not.toBe(0);
  });
});

/** Thirty secrets: those its engine has, and those nobody told us of, by their shape alone. */
function canaries() {
  const known = Object.fromEntries(Array.from({ length: 18 }, (_, n) => [`CANARY_${n}_TOKEN`, plainWord()]));
  const hex = (count: number) => randomBytes(count).toString('hex');
  const shaped = [
    ...[
      `sk-ant-api03-${hex(40)}`,
      `sk-proj-${hex(30)}`,
      `ghp_${hex(18)}`,
      `glpat-${hex(10)}`,
      `xoxb-${hex(12)}`,
      `npm_${hex(18)}`,
    ],
    ...[
      `sk_live_${hex(12)}`,
      `AIza${hex(18).slice(0, 35)}`,
      `AKIA${hex(8).toUpperCase()}`,
      `eyJ${hex(10)}.eyJ${hex(20)}.${hex(20)}`,
    ],
  ];
  const { privateKey: key } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const { privateKey: other } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { known, shaped, keys: [key, other] };
}

const PARROT = [
  'for name in $(env | grep -o "^CANARY_[0-9]*_TOKEN" | sort); do',
  '  eval "v=\\$$name"; printf %s "$v" > v; h=$(head -c 9 v); t=$(tail -c +10 v)',
  '  echo "whole $v"; printf "split %s" "$h"; sleep 0.01; echo "$t end"',
  '  printf \'{"list":["%s",{"deep":"it is %s."}]}\\n\' "$v" "$v"',
  '  printf "user:%s" "$v" | base64 -w0; echo; echo "error $v" >&2',
  'done',
  'while read -r v; do echo "whole $v"; h=$(printf %s "$v" | head -c 7); t=$(printf %s "$v" | tail -c +8)',
  '  printf "split %s" "$h"; sleep 0.01; echo "$t end"; printf \'{"said":["%s"]}\\n\' "$v"; done < ../shaped',
  // Across the place where a long line is cut.
  'head -c 262130 /dev/zero | tr "\\0" x; printf " %s tail\\n" "$CANARY_0_TOKEN"',
  'head -c 262120 /dev/zero | tr "\\0" x; printf " %s tail\\n" "$(head -n 1 ../shaped)"',
  'for key in ../key0 ../key1; do cat $key; cat -n $key; sed "s/^/+/" $key >&2; base64 $key; base64 -w0 $key; echo',
  `  printf '{"said":"%s"}\\n' "$(awk '{printf "%s\\\\n", $0}' $key)"; sed 's/^/    /' $key; done`,
  'echo all is said',
  'exit 0',
].join('\n');

async function followed(house: FaultHouse, topics: readonly string[]): Promise<PlainClient[]> {
  const token = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
  return topics.map((topic) => new PlainClient(() => ({ socket: join(house.home, 'fleet.sock'), token }), topic).start());
}

it('thirty canaries, whole, in pieces, in JSON, in base64, over lines and across cuts, are nowhere but in the spool [RUN-15] [T20]', async () => {
  await using house = await faultHouse();
  const { known, shaped, keys } = canaries();
  await writeFile(join(house.directory, 'shaped'), `${shaped.join('\n')}\n`);
  for (const [n, key] of keys.entries()) await writeFile(join(house.directory, `key${n}`), key);
  const env: Record<string, string> = house.env;
  Object.assign(env, known);
  const engine = await house.up();
  for (const name of Object.keys(known)) delete env[name];
  const id = (await house.queue([{ title: 'parrot', script: PARROT }])).get('parrot') ?? '';
  await vi.waitFor(async () => expect(await house.runs(id)).toHaveLength(1), 20_000);
  const [run] = await house.runs(id);
  const streams = await followed(house, [`run/${run?.id}`, `task/${id}`, 'board']);
  await house.settled([id]);
  expect(await house.outcomes(id)).toEqual(['succeeded']);
  await vi.waitFor(() => expect(streams[0]?.hasEnded()).toBe(true), 20_000);
  await Promise.all(streams.map((stream) => stream.stop()));
  const live = streams.map(({ seen }) => JSON.stringify(seen));
  expect(live[0]).toContain('all is said');

  const lines = keys.flatMap((key) => key.trim().split('\n').slice(1, -1));
  const coded = keys.flatMap((key) => Buffer.from(key).toString('base64').match(/.{60}/g) ?? []);
  const pieces = [...Object.values(known), ...shaped].flatMap((secret) => [secret, secret.slice(0, 16), secret.slice(-16)]);
  const inBase64 = Object.values(known).map((secret) => Buffer.from(`user:${secret}`).toString('base64').slice(8, -6));
  const all = [...lines, ...coded, ...pieces, ...inBase64];
  const log = (await house.ok(['run', 'log', run?.id ?? '', '--json'])).json<{ items: { at: number; text: string }[] }>();
  // Whoever begins to read in the middle of a key sees no more of it.
  const inKeys = log.items.filter(({ text }) => /^(?:[ +\t\d]*\[redacted\])$/.test(text));
  expect(inKeys.length).toBeGreaterThan(60);
  const pages = await Promise.all(
    [1, 7, 20, 33, 50, inKeys.length - 1].map(async (n) => {
      const after = String(inKeys[n]?.at ?? 0);
      return [`from ${after}`, (await house.ok(['run', 'log', run?.id ?? '', '--after', after])).out] as const;
    }),
  );
  const streamed = live.map((text, n) => [`live stream ${n}`, text] as const);
  const shown = [...(await everything(house, id)), ...pages, ...streamed, ['engine', engine.log()] as const];
  expect(
    shown.flatMap(([where, text]) => all.filter((piece) => text.includes(piece)).map((piece) => `${piece} in ${where}`)),
  ).toEqual([]);
  expect(await house.said(id)).toContain('all is said');
  // They were said, and only their owner can read them there.
  const spool = (name: string) => join(house.home, 'runs', run?.id ?? '', name);
  const raw = await readFile(spool('out'), 'utf8');
  expect([...Object.values(known), ...shaped, ...lines].filter((piece) => !raw.includes(piece))).toEqual([]);
  for (const name of ['out', 'err']) expect(((await stat(spool(name))).mode & 0o777).toString(8)).toBe('600');
});
