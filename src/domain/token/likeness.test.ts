import { describe, expect, it } from 'vitest';
import { likenessOf } from './likeness.ts';

describe('the likeness of a name', () => {
  it('is one for names that look alike, in other letters, marks, widths and with what cannot be seen', () => {
    const alike = [
      'fleet',
      'Fleet',
      'FLEET',
      'fl\u0435et',
      'ｆｌｅｅｔ',
      'fle\u034fet',
      'fle\ufe0fet',
      'f1eet',
      'f\u0406eet',
      'flеét',
      'fle et',
      'fle-et',
      'fle\u3164et',
    ];
    expect(new Set(alike.map(likenessOf))).toEqual(new Set([likenessOf('fleet')]));
    for (const name of ['\u0443ou', 'Y\u043eu', 'yoυ', 'ʏou', 'y0u'])
      expect([name, likenessOf(name)]).toEqual([name, likenessOf('you')]);
  });

  it('is another for other names, also in other alphabets', () => {
    const others = ['ann', 'anna', 'bob', 'ci', 'web-1', 'web-3', 'ольга', 'иван', 'νίκος', '花子', 'lead of web', 'lead of ops'];
    expect(new Set(others.map(likenessOf)).size).toBe(others.length);
  });
});
