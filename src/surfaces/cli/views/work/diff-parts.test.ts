import { describe, expect, it } from 'vitest';
import { filesIn } from './diff-parts.ts';

const lines = (...text: string[]) => `${text.join('\n')}\n`;

describe('the text of a diff', () => {
  it('is taken apart into files and lines', () => {
    const [file] = filesIn(
      lines(
        'diff --git a/x.js b/x.js',
        'index 1..2 100644',
        '--- a/x.js',
        '+++ b/x.js',
        '@@ -1,2 +1,3 @@ f()',
        ' a',
        '-b',
        '+c',
        '+d',
      ),
    );
    expect(file).toMatchObject({ path: 'x.js', notes: [], added: 2, removed: 1 });
    expect(file?.lines.map(({ kind }) => kind)).toEqual(['hunk', 'same', 'removed', 'added', 'added']);
  });

  it('is not misled by lines that look like heads', () => {
    const found = filesIn(
      lines(
        'diff --git a/x b/x',
        '--- a/x',
        '+++ b/x',
        '@@ -1,3 +1,2 @@',
        '--- a/y',
        '-diff --git a/z b/z',
        '+++ b/z',
        ' @@ -1 +1 @@',
        'diff --git a/w b/w',
        'new file mode 100755',
        '--- /dev/null',
        '+++ b/w',
        '@@ -0,0 +1 @@',
        '+only',
        '\\ No newline at end of file',
      ),
    );
    expect(found.map(({ path, added, removed }) => [path, added, removed])).toEqual([
      ['x', 1, 2],
      ['w', 1, 0],
    ]);
    expect(found[1]).toMatchObject({ notes: ['new, executable'] });
    expect(found[1]?.lines.at(-1)).toEqual({ kind: 'remark', text: 'No newline at end of file' });
  });

  it.each([
    [['diff --git a/a b b/a b', 'old mode 100644', 'new mode 100755'], 'a b', ['made executable']],
    [['diff --git a/old b/new', 'similarity index 90%', 'rename from old', 'rename to new'], 'new', ['was old']],
    [['diff --git a/i.png b/i.png', 'Binary files a/i.png and b/i.png differ'], 'i.png', ['binary']],
    [
      ['diff --git a/gone b/gone', 'deleted file mode 100644', '--- a/gone', '+++ /dev/null', '@@ -1 +0,0 @@', '-x'],
      'gone',
      ['deleted'],
    ],
    [['diff --git "a/\\303\\251" "b/\\303\\251"', 'new file mode 120000'], '"a/\\303\\251" "b/\\303\\251"', ['new, a link']],
  ])('says what became of the file: %j', (text, path, notes) => {
    expect(filesIn(lines(...text))).toMatchObject([{ path, notes }]);
  });

  it('may be empty, or cut in the middle of a hunk', () => {
    expect(filesIn('')).toEqual([]);
    expect(filesIn(lines('diff --git a/x b/x', '@@ -1,9 +1,9 @@', ' a', '+b'))).toMatchObject([{ path: 'x', added: 1 }]);
  });
});
