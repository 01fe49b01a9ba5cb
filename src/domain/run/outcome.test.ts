import { expect, it } from 'vitest';
import { withFullDisk } from './outcome.ts';

const run = { createdAt: '2030-01-01T12:00:00.000Z' };
const full = { path: '/home/runs', at: '2030-01-01T12:00:05.000Z' };

it('names the full disk for an accident of a run during which the disk was full, and for nothing else [R18]', () => {
  const crash = { outcome: 'crashed', detail: 'it ended with exit code 1' } as const;
  expect(withFullDisk(crash, run, full)).toEqual({
    outcome: 'crashed',
    detail: 'disk_full: the disk of /home/runs was full while it ran; it ended with exit code 1',
  });
  expect(withFullDisk(crash, run, undefined)).toBe(crash);
  expect(withFullDisk(crash, { createdAt: '2030-01-01T12:00:06.000Z' }, full)).toBe(crash);
  const well = { outcome: 'succeeded', detail: 'done' } as const;
  expect(withFullDisk(well, run, full)).toBe(well);
});
