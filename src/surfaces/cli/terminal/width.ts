/** One cell each, whatever stands beside them: ASCII, Latin, and the marks and lines we draw with. Segmenting costs ten milliseconds to begin with. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2713-\u2718]*$/;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
/** Drawn as a picture: two cells, also when several code points make one picture. */
const PICTURE = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}/u;
/** East Asian Wide and Fullwidth. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as single characters. */
function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

const graphemeWidth = (grapheme: string): number => {
  if (INVISIBLE.test(grapheme)) return 0;
  return PICTURE.test(grapheme) || WIDE.test(grapheme) ? 2 : 1;
};

/** Cells a plain text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let cells = 0;
  for (const grapheme of graphemes(text)) cells += graphemeWidth(grapheme);
  return cells;
}

/** At most `cells` wide, never through the middle of a character, with `…` where something is missing. */
export function truncate(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let kept = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const next = used + graphemeWidth(grapheme);
    if (next > cells - 1) break;
    kept += grapheme;
    used = next;
  }
  return `${kept.trimEnd()}…`;
}

/** The first part that fits, and what is left: for one word longer than a line. */
export function splitAt(text: string, cells: number): [string, string] {
  let head = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > cells && head !== '') break;
    head += grapheme;
  }
  return [head, text.slice(head.length)];
}
