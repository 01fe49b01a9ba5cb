import { describe, expect, it } from 'vitest';
import { reserveBytesOf, shortageOf, shortageText } from './disk-room.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;
const disk = (freeBytes: number, totalBytes = 100 * GB, path = '/home/fleet') => ({ path, freeBytes, totalBytes });

describe('the reserve of a disk', () => {
  it('is 1 GB, or a twentieth of a small disk; a chosen value is taken as it is, and 0 means none [R18]', () => {
    expect(reserveBytesOf(disk(0), undefined)).toBe(GB);
    expect(reserveBytesOf(disk(0, 8 * MB), undefined)).toBe(Math.floor(0.4 * MB));
    expect(reserveBytesOf(disk(0, 8 * MB), 6)).toBe(6 * MB);
    expect(shortageOf([disk(0)], 0)).toBeUndefined();
  });

  it('is short if any disk has less free, and exactly enough is enough [R18]', () => {
    expect(shortageOf([disk(GB)], undefined)).toBeUndefined();
    expect(shortageOf([], undefined)).toBeUndefined();
    const short = { path: '/work', freeBytes: GB - 1, reserveBytes: GB };
    expect(shortageOf([disk(GB), disk(GB - 1, 100 * GB, '/work')], undefined)).toEqual(short);
  });

  it('is reported with figures and advice, and free space is never rounded up [R18]', () => {
    const textFor = (freeBytes: number, reserveMb?: number) => {
      const short = shortageOf([disk(freeBytes)], reserveMb);
      return short && shortageText(short);
    };
    expect(textFor(410 * MB + 1)).toBe(
      'disk_full: 410 MB free on the disk of /home/fleet, new runs wait until 1.0 GB are free: free some, or lower disk_reserve_mb',
    );
    expect(textFor(GB - 1)).toContain('1023 MB free');
    expect(textFor(1.99 * GB, 2048)).toMatch(/1\.9 GB free .* until 2\.0 GB/);
    expect(textFor(3 * MB, 4)).toMatch(/3072 KB free .* until 4096 KB/);
  });
});
