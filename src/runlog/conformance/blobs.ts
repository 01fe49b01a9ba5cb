import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RunLog } from '../port.ts';
import { clockAt, gathered, type MakeRunLog } from './logs.ts';

const DAY = 24 * 60 * 60 * 1000;
const names = (log: RunLog, before: number): Promise<string[]> => gathered(log.listBlobs(before));

export const blobConformance = (make: MakeRunLog) =>
  describe('blobs', () => {
    it('returns the text that was put, under the hash of its bytes', async () => {
      await using made = await make(clockAt(0));
      for (const text of ['', 'grüße \0 🚀\r\n', 'x'.repeat(1024 * 1024)]) {
        const name = await made.log.putBlob(text);
        expect(name).toBe(createHash('sha256').update(text).digest('hex'));
        expect(await made.log.getBlob(name)).toBe(text);
      }
    });

    it('keeps the same text once, also if many put it at the same time', async () => {
      await using made = await make(clockAt(DAY));
      const put = await Promise.all(Array.from({ length: 10 }, () => made.log.putBlob('same')));
      expect(new Set(put).size).toBe(1);
      expect(await names(made.log, 2 * DAY)).toEqual([put[0]]);
    });

    it('does not find what was never put or was removed', async () => {
      await using made = await make(clockAt(0));
      const name = await made.log.putBlob('gone');
      await made.log.removeBlob(name);
      await made.log.removeBlob(name);
      await expect(made.log.getBlob(name)).rejects.toMatchObject({ code: 'not_found' });
      await expect(made.log.getBlob('0'.repeat(64))).rejects.toMatchObject({ code: 'not_found' });
    });

    it('refuses names that are not a hash', async () => {
      await using made = await make(clockAt(0));
      for (const name of ['', '../../etc/passwd', 'A'.repeat(64), `${'a'.repeat(64)}\n`, 'a'.repeat(63)]) {
        await expect(made.log.getBlob(name)).rejects.toMatchObject({ code: 'invalid' });
        await expect(made.log.removeBlob(name)).rejects.toMatchObject({ code: 'invalid' });
      }
    });

    it('lists the blobs last put before a given time', async () => {
      const clock = clockAt(10 * DAY);
      await using made = await make(clock);
      const old = await made.log.putBlob('old');
      const again = await made.log.putBlob('again');
      clock.ms = 20 * DAY;
      const fresh = await made.log.putBlob('fresh');
      await made.log.putBlob('again');
      expect(await names(made.log, 15 * DAY)).toEqual([old]);
      expect(new Set(await names(made.log, 25 * DAY))).toEqual(new Set([old, again, fresh]));
    });
  });
