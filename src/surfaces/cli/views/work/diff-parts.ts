/** What was done to one file, read from the text of a diff. */
export interface FileDiff {
  readonly path: string;
  /** What its lines do not say: that it is new, was moved, is binary. */
  readonly notes: readonly string[];
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

export interface DiffLine {
  readonly kind: 'hunk' | 'added' | 'removed' | 'same' | 'remark';
  readonly text: string;
}

interface Draft {
  path: string;
  notes: string[];
  lines: DiffLine[];
  added: number;
  removed: number;
}

/**
 * Reads what `git diff` prints. The head of a hunk says how many lines follow, so that a line of the file that looks
 * like the head of another file is taken for what it is.
 */
export function filesIn(text: string): FileDiff[] {
  const files: Draft[] = [];
  let left = { before: 0, after: 0 };
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const file = files.at(-1);
    if (file && left.before + left.after > 0) {
      left = hunkLine(line, file, left);
    } else if (line.startsWith('diff --git ')) {
      files.push({ path: pathIn(line.slice('diff --git '.length)), notes: [], lines: [], added: 0, removed: 0 });
    } else if (file) {
      left = headLine(line, file) ?? left;
    }
  }
  return files;
}

type Left = { readonly before: number; readonly after: number };

function hunkLine(line: string, file: Draft, { before, after }: Left): Left {
  const [sign = ' '] = line;
  const rest = line.slice(1);
  if (sign === '+') {
    file.added += 1;
    file.lines.push({ kind: 'added', text: rest });
    return { before, after: after - 1 };
  }
  if (sign === '-') {
    file.removed += 1;
    file.lines.push({ kind: 'removed', text: rest });
    return { before: before - 1, after };
  }
  if (sign === '\\') return remark(line, file, { before, after });
  file.lines.push({ kind: 'same', text: rest.replace(/\r$/, '') });
  return { before: before - 1, after: after - 1 };
}

function remark(line: string, file: Draft, left: Left): Left {
  file.lines.push({ kind: 'remark', text: line.slice(1).trim() });
  return left;
}

/** A line between the name of a file and its lines, or between its hunks. */
function headLine(line: string, file: Draft): Left | undefined {
  const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
  if (hunk) {
    file.lines.push({ kind: 'hunk', text: line });
    return { before: Number(hunk[1] ?? 1), after: Number(hunk[2] ?? 1) };
  }
  if (line.startsWith('\\')) remark(line, file, { before: 0, after: 0 });
  const path = /^(?:\+\+\+ b\/|--- a\/|rename to |copy to )(.+?)\t?$/.exec(line)?.[1];
  if (path !== undefined) file.path = path;
  const note = noteIn(line);
  if (note !== undefined) file.notes.push(note);
  return undefined;
}

const MODES: Readonly<Record<string, string>> = { '100755': ', executable', '120000': ', a link', '160000': ', a submodule' };

function noteIn(line: string): string | undefined {
  const [, what = '', value = ''] =
    /^(new file mode|deleted file mode|old mode|new mode|rename from|copy from) (.+)$/.exec(line) ?? [];
  switch (what) {
    case 'new file mode':
      return `new${MODES[value] ?? ''}`;
    case 'deleted file mode':
      return 'deleted';
    case 'old mode':
      return undefined;
    case 'new mode':
      return value === '100755' ? 'made executable' : `mode ${value}`;
    case 'rename from':
      return `was ${value}`;
    case 'copy from':
      return `copy of ${value}`;
    default:
      return /^(Binary files|GIT binary patch)/.test(line) ? 'binary' : undefined;
  }
}

/** `a/NAME b/NAME`, of which the halves are alike unless a later line says otherwise. */
function pathIn(names: string): string {
  const half = names.slice(0, Math.floor(names.length / 2));
  return names === `${half} b/${half.slice(2)}` ? half.slice(2) : names;
}
