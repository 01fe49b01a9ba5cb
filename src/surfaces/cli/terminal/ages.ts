import { msOf } from '../../../domain/moment.ts';
import type { Instant } from '../../../domain/values.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3m ago`, `in 2h`; beyond a month the date says more. */
export function ago(at: Instant, nowMs: number): string {
  const ms = nowMs - msOf(at);
  if (Math.abs(ms) < 5 * SECOND) return 'now';
  if (Math.abs(ms) > 30 * DAY) return at.slice(0, 10);
  return ms > 0 ? `${rough(ms)} ago` : `in ${rough(-ms)}`;
}

function rough(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** `3m 12s`, `2h 05m`: how long something has been going on. */
export function span(ms: number): string {
  const whole = Math.max(0, ms);
  const two = (count: number) => String(count).padStart(2, '0');
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)}s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)}m ${two(Math.floor((whole % MINUTE) / SECOND))}s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)}h ${two(Math.floor((whole % HOUR) / MINUTE))}m`;
  return `${Math.floor(whole / DAY)}d ${Math.floor((whole % DAY) / HOUR)}h`;
}

export const elapsedSince = (at: Instant, nowMs: number): string => span(nowMs - msOf(at));

const two = (count: number): string => String(count).padStart(2, '0');

/** Wall time where the reader is: `14:03:59` today, with the date before that. */
export function clockTime(at: Instant, nowMs: number): string {
  const moment = new Date(msOf(at));
  const time = `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
  const isToday = moment.toDateString() === new Date(nowMs).toDateString();
  return isToday ? time : `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} ${time}`;
}
