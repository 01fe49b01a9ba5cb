import { describe, expect, it } from 'vitest';
import { bytesOf, clockAt, type MakeRunLog, textOf } from './logs.ts';

export const streamConformance = (make: MakeRunLog) =>
  describe('streams', () => {
    it('reads back by offset what was appended', async () => {
      await using made = await make(clockAt(0));
      const { log } = made;
      expect(await log.append('run_1/out', bytesOf('hello '), 0)).toBe(6);
      expect(await log.append('run_1/out', bytesOf('world'), 6)).toBe(11);
      expect(textOf(await log.read('run_1/out', 0, 100))).toBe('hello world');
      expect(textOf(await log.read('run_1/out', 4, 3))).toBe('o w');
      expect(await log.read('run_1/out', 11, 10)).toHaveLength(0);
      expect(await log.read('run_1/out', 99, 10)).toHaveLength(0);
      expect(await log.size('run_1/out')).toBe(11);
    });

    it('keeps any bytes, and streams apart', async () => {
      await using made = await make(clockAt(0));
      const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
      await made.log.append('a', bytes, 0);
      await made.log.append('b', bytesOf('b'), 0);
      expect([...(await made.log.read('a', 0, 1000))]).toEqual([...bytes]);
    });

    it('refuses to append anywhere but at the end, and then writes nothing', async () => {
      await using made = await make(clockAt(0));
      await made.log.append('a', bytesOf('abc'), 0);
      for (const at of [0, 2, 4])
        await expect(made.log.append('a', bytesOf('x'), at)).rejects.toMatchObject({ code: 'conflict' });
      await expect(made.log.append('new', bytesOf('x'), 1)).rejects.toMatchObject({ code: 'conflict' });
      expect(textOf(await made.log.read('a', 0, 10))).toBe('abc');
      expect(await made.log.size('new')).toBe(0);
    });

    it('accepts only one of two appends at the same offset', async () => {
      await using made = await make(clockAt(0));
      const both = await Promise.allSettled(['one', 'two'].map((text) => made.log.append('a', bytesOf(text), 0)));
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await made.log.size('a')).toBe(3);
    });

    it('treats a stream that was never written, or was removed, as empty', async () => {
      await using made = await make(clockAt(0));
      expect(await made.log.size('none/at/all')).toBe(0);
      expect(await made.log.read('none', 0, 10)).toHaveLength(0);
      await made.log.append('a', bytesOf('abc'), 0);
      await made.log.removeStream('a');
      await made.log.removeStream('a');
      expect(await made.log.append('a', bytesOf('new'), 0)).toBe(3);
    });

    it('refuses names that could leave the directory, and invalid offsets', async () => {
      await using made = await make(clockAt(0));
      for (const name of [
        '',
        '.',
        '..',
        '../a',
        'a/../../b',
        '/etc/passwd',
        'a//b',
        'a/',
        '.hidden',
        'a/.b',
        'a\0b',
        'a\nb',
        'ü',
        'a\\b',
        'a/b/c/d/e',
      ]) {
        await expect(made.log.append(name, bytesOf('x'), 0)).rejects.toMatchObject({ code: 'invalid' });
        await expect(made.log.read(name, 0, 1)).rejects.toMatchObject({ code: 'invalid' });
        await expect(made.log.size(name)).rejects.toMatchObject({ code: 'invalid' });
        await expect(made.log.removeStream(name)).rejects.toMatchObject({ code: 'invalid' });
      }
      for (const offset of [-1, 0.5, Number.NaN]) {
        await expect(made.log.append('a', bytesOf('x'), offset)).rejects.toMatchObject({ code: 'invalid' });
        await expect(made.log.read('a', offset, 1)).rejects.toMatchObject({ code: 'invalid' });
      }
    });
  });
