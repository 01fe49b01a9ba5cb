/*
 * Lines of a file that somebody is to judge. What a terminal would obey is shown and not taken away, because whatever
 * is taken away has not been seen: code may stand inside an escape sequence and still be run. Joiners that letters and
 * pictures need stay.
 */

const UNSEEN =
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** One line, safe to print, with nothing hidden in it. */
export const visible = (line: string): string => line.replaceAll('\t', '    ').replace(UNSEEN, mark);

const CONTROL_PICTURES = 0x2400;

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  return code === 0x7f ? '␡' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
