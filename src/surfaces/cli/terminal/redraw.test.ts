import { describe, expect, it } from 'vitest';
import { isLive, picture } from './redraw.ts';

describe('a picture', () => {
  it('is drawn over line by line, and wipes what is left below it', async () => {
    const written: string[] = [];
    const { draw } = picture({ out: (text) => void written.push(text), rows: 24 });
    await draw('a\nb\n');
    await draw('c\n');
    expect(written).toEqual(['a\u001b[K\nb\u001b[K\n\u001b[J', '\u001b[2A\rc\u001b[K\n\u001b[J']);
  });

  it('never grows beyond the screen', async () => {
    let text = '';
    await picture({ out: (piece) => void (text += piece), rows: 4 }).draw('1\n2\n3\n4\n5\n');
    expect(text).toBe('1\u001b[K\n2\u001b[K\n… 3 more\u001b[K\n\u001b[J');
  });

  it('needs a terminal that can do it', () => {
    expect(isLive({ isTty: true, env: {} })).toBe(true);
    expect(isLive({ isTty: true, env: { TERM: 'dumb' } })).toBe(false);
    expect(isLive({ isTty: false, env: {} })).toBe(false);
  });
});
