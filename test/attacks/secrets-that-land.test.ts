import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';

/** Like a word: nothing about it looks like a key, so that only whoever knows it can find it. */
const SECRET = 'quietriverunderthehill';
/** It looks like a key, and is test data. */
const FIXTURE = `sk-ant-api03-${'a1B2'.repeat(20)}`;

let house: FaultHouse;
let repo: string;
beforeAll(async () => {
  house = await faultHouse();
  const env: Record<string, string> = house.env;
  env['SERVICE_TOKEN'] = SECRET;
  await house.up([], false);
  delete env['SERVICE_TOKEN'];
  repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'auto']);
  const remote = join(house.directory, 'remote.git');
  await house.git(repo, 'init', '-q', '--bare', remote);
  await house.git(repo, 'remote', 'add', 'origin', remote);
});
afterAll(() => house[Symbol.asyncDispose]());

/** What an agent that means no harm does, and where the secret is found then. */
const ACCIDENTS: readonly (readonly [script: string, place: string])[] = [
  ['echo "token = $SERVICE_TOKEN" > config.ini', 'in config.ini'],
  [
    'env > debug.log; git add -A; git commit -qm one; rm debug.log; echo x > fine; git add -A; git commit -qm two',
    'in debug.log',
  ],
  ['echo x > a; git add -A; git commit -qm "works with $SERVICE_TOKEN"', 'in what a commit says'],
  ['mkdir k8s; printf %s "$SERVICE_TOKEN" | base64 > k8s/secret.yml', 'in k8s/secret.yml'],
  ['printf "x\\0%s\\0y" "$SERVICE_TOKEN" > blob.bin', 'in blob.bin'],
  ['printf \'{"auth":"Bearer %s"}\' "$SERVICE_TOKEN" > cassette.json', 'in cassette.json'],
  ['echo x > "dump-$SERVICE_TOKEN.txt"', 'in dump-[redacted].txt'],
];

const inShop = async (script: string, ...more: string[]): Promise<string> =>
  (await house.ok(['task', 'create', '--project', 'shop', '--prompt', `${script}\nexit 0`, ...more, '--json'])).json<{
    id: string;
  }>().id;
const everyCommit = async () => (await house.git(repo, 'log', '-p', '--text', '--format=%B', 'main')).out;

describe('a secret that an agent was given and commits by accident', () => {
  it('lands nowhere by itself, in whatever commit and form it is; what only looks like one lands [T20] [T31] [RUN-15]', async () => {
    const ids = await Promise.all(ACCIDENTS.map(([script]) => inShop(script)));
    const honest = await inShop(`mkdir test; echo '${FIXTURE}' > test/fixture.txt`);
    await house.settled([...ids, honest]);
    const stand = await Promise.all(ids.map((id) => house.task(id)));
    expect(stand.map(({ phase }) => phase)).toEqual(
      ACCIDENTS.map(([, place]) =>
        expect.objectContaining({
          block: expect.objectContaining({
            cause: 'review',
            what: expect.stringContaining(`a secret its agent had is ${place}`),
          }),
        }),
      ),
    );
    expect(await house.task(honest)).toMatchObject({ phase: { state: 'done' } });
    expect(await everyCommit()).toContain(FIXTURE);
    expect(await everyCommit()).not.toContain(SECRET);
  });

  it('is said, is shown to nobody, is not pushed, and lands only as a person has seen it [T20] [RUN-15]', async () => {
    const id = await inShop('echo "token = $SERVICE_TOKEN" > shown.ini; echo "fake = KEY" >> shown.ini'.replace('KEY', FIXTURE));
    await house.settled([id]);
    const diff = (await house.ok(['task', 'diff', id])).out;
    expect(diff).toContain('token = [redacted]');
    expect(diff, 'a person sees what will land').toContain(FIXTURE);
    expect((await house.ok(['task', 'show', id])).out).toMatch(/Secrets\s+one its agent had is in shown.ini: never lands unseen/);
    const pushed = await house.fleet(['task', 'push', id]);
    expect(pushed).toMatchObject({ code: 4, err: expect.stringContaining('a secret its agent had is in shown.ini') });
    await house.ok(['task', 'approve', id]);
    await house.settled([id]);
    expect(await house.task(id)).toMatchObject({ phase: { state: 'done' } });
    const blamed = await house.ok(['blame', join(repo, 'shown.ini')]);
    expect(blamed.out).toContain('token = [redacted]');
    expect(blamed.out).toContain(FIXTURE);
    for (const words of [['task', 'events', id], ['task', 'show', id, '--json'], ['status']])
      expect((await house.ok(words)).out).not.toContain(SECRET);
  });

  it('is looked for again in what the agent makes of it once it was sent back', async () => {
    const again = 'if [ -f again ]; then git rm -qf again; echo fine > clean.txt; else echo "$SERVICE_TOKEN" > again; fi';
    const id = await inShop(again);
    await house.settled([id]);
    await house.ok(['task', 'reject', id, 'take it out']);
    await house.settled([id]);
    // The first commit still holds it: it would be in the history of the target.
    expect(await house.task(id)).toMatchObject({ phase: { block: { what: expect.stringContaining('is in again') } } });
  });
});
