import { type Instant, msOf } from '../../domain/values.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WIDTH = 10;

/** `██████░░░░ 3/5`. */
export function bar(done: number, total: number): string {
  const full = total === 0 ? WIDTH : Math.floor((Math.min(done, total) / total) * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${done}/${total}`;
}

/** `12s`, `3m 12s`, `2h 05m`. */
export function span(ms: number): string {
  const whole = Math.max(0, ms);
  const two = (count: number) => String(Math.floor(count)).padStart(2, '0');
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)}s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)}m ${two((whole % MINUTE) / SECOND)}s`;
  return `${Math.floor(whole / HOUR)}h ${two((whole % HOUR) / MINUTE)}m`;
}

export const since = (at: Instant, nowMs: number): string => span(nowMs - msOf(at));

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The beginning of a long text, and that there is more. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n… ${text.length - most} more characters`;

/** One line of a text that may have many. */
export const oneLine = (text: string, most = 160): string => {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= most ? flat : `${flat.slice(0, most - 1)}…`;
};
