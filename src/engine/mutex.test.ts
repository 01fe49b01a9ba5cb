import { expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

it('lets one begin when the one before it has ended, also when that failed', async () => {
  const { run } = new Mutex();
  const happened: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      happened.push(`${name} begins`);
      await Promise.resolve();
      happened.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const all = await Promise.allSettled([run(work('a')), run(work('b', true)), run(work('c'))]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(happened).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});
