import { expect, it } from 'vitest';
import { Failures } from './failures.ts';

const about = (taskId: string) => ({ about: { taskId }, error: new Error('broken') });

it('says each failure less and less often, whatever else fails or works between', () => {
  const failures = new Failures();
  const said: (number | undefined)[] = [];
  for (let turn = 0; turn < 300; turn += 1) {
    said.push(failures.of([about('a'), ...(turn % 3 === 0 ? [about('b')] : [])])[0]);
    failures.of([]);
  }
  expect(said.filter((times) => times !== undefined)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
});

it('says it anew when it has not happened for a while', () => {
  const failures = new Failures();
  for (let turn = 0; turn < 5; turn += 1) failures.of([about('a')]);
  for (let turn = 0; turn < 60; turn += 1) failures.of([]);
  expect(failures.of([about('a')])).toEqual([1]);
});
