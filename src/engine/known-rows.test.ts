import { beforeEach, describe, expect, it } from 'vitest';
import type { Key, Row, Write } from '../store/port.ts';
import { CommitFeed } from './commit-feed.ts';
import { KnownRows } from './known-rows.ts';

const KEY: Key = { kind: 'hold', id: 'fleet' };
const row = (version: string): Row => ({ key: KEY, version, body: { scope: 'fleet', holders: [] } });
const put = (body: unknown): Write => ({ op: 'put', key: KEY, expect: 'absent', body, entries: [] });

describe('what an engine knows of rows', () => {
  let [now, asked] = [0, 0];
  let there: Row | undefined;
  let answered: Promise<void>;
  let news: CommitFeed;
  let known: KnownRows;

  beforeEach(() => {
    [now, asked, there, answered, news] = [0, 0, row('1'), Promise.resolve(), new CommitFeed()];
    const get = async () => {
      asked += 1;
      const seen = there;
      await answered;
      return seen;
    };
    known = new KnownRows({ get }, news, () => now);
  });

  it('is asked for once', async () => {
    expect([await known.get(KEY), await known.get(KEY)]).toEqual([row('1'), row('1')]);
    expect(asked).toBe(1);
  });

  it('is what the engine itself wrote last, without a look', async () => {
    news.own([put({ scope: 'fleet', holders: ['a'] })], '7');
    expect(await known.get(KEY)).toEqual({ key: KEY, version: '7', body: { scope: 'fleet', holders: ['a'] } });
    expect(asked).toBe(0);
  });

  it('is also that there is none, until there is one', async () => {
    there = undefined;
    expect([await known.get(KEY), await known.get(KEY)]).toEqual([undefined, undefined]);
    expect(asked).toBe(1);
    news.own([put({ scope: 'fleet', holders: [] })], '4');
    expect((await known.get(KEY))?.version).toBe('4');
    news.own([{ op: 'delete', key: KEY, expect: '4' }], '5');
    expect(await known.get(KEY)).toBeUndefined();
    expect(asked).toBe(1);
  });

  it.each([
    ['somebody else has written', () => news.other()],
    ['some time has passed', () => void (now += 20_000)],
  ])('is looked at again when %s', async (_when, happens) => {
    await known.get(KEY);
    there = row('3');
    happens();
    expect(await known.get(KEY)).toEqual(row('3'));
  });

  it.each([
    ['somebody else writes', () => news.other(), '3', 2],
    ['the engine writes it', () => news.own([put(row('2').body)], '2'), '2', 1],
    ['the engine deletes it', () => news.own([{ op: 'delete', key: KEY, expect: '1' }], '2'), undefined, 1],
  ])('is not what was read while %s', async (_when, happens, version, times) => {
    let answer = () => {};
    answered = new Promise<void>((resolve) => (answer = resolve));
    const reading = known.get(KEY);
    happens();
    answer();
    await reading;
    there = row('3');
    expect((await known.get(KEY))?.version).toBe(version);
    expect(asked).toBe(times);
  });

  it('holds no more than so many rows, and none of other kinds', async () => {
    news.own([{ ...put({}), key: { kind: 'journal', id: 'x' } }], '1');
    for (let n = 0; n < 1_200; n += 1) news.own([{ ...put({}), key: { kind: 'hold', id: String(n) } }], '1');
    there = undefined;
    expect(await known.get({ kind: 'journal', id: 'x' })).toBeUndefined();
    expect(await known.get({ kind: 'hold', id: '100' })).toBeUndefined();
    expect(await known.get({ kind: 'hold', id: '1100' })).toBeDefined();
  });
});
