import { expect, it } from 'vitest';
import { isInForce, type Pause } from '../hold/pause.ts';
import type { Instant } from '../values.ts';
import { replanned } from './backoff.ts';

const at = (ms: number) => new Date(Date.UTC(2030, 0, 2) + ms).toISOString() as Instant;
const DAY = 86_400_000;

it('a delay planned while the clock was ahead lasts no longer than planned [R38]', () => {
  const delay = { since: at(DAY), until: at(DAY + 8_000) };
  expect(replanned(delay, at(0))).toEqual({ since: at(0), until: at(8_000) });
  expect(replanned({ since: at(0), until: at(8_000) }, at(5_000))).toBeUndefined();
  expect(replanned({ since: at(1_000), until: at(8_000) }, at(0))).toBeUndefined();
  expect(replanned({ since: at(DAY), until: at(0) }, at(0))).toEqual({ since: at(0), until: at(0) });
});

it('a pause guessed while the clock was ahead is over, and one stated by a provider stays [R38]', () => {
  const pause = (stated: boolean) => ({ since: at(DAY), until: at(DAY + 60_000), stated }) as Pause;
  expect(isInForce(pause(false), at(0))).toBe(false);
  expect(isInForce(pause(true), at(0))).toBe(true);
  expect(isInForce(pause(false), at(DAY + 1))).toBe(true);
});
