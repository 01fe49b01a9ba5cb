/*
 * Text from tasks, agents and files is never obeyed by the terminal: whole escape sequences go first, so that their
 * payload does not stay behind as text, then every control and direction character that is left. The sequences go in
 * one pass from left to right, as a terminal reads: taking one away never makes another of what was around it.
 */

// Strings (OSC, DCS, SOS, PM, APC) run to BEL or ST; one that is never ended is cut where its line ends.
const STRING =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=[\u001b\n])|$)/;
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/;
const ESCAPE = /\u001b[ -/]*[0-~]?/;
const SEQUENCES = new RegExp([STRING, CONTROL_SEQUENCE, ESCAPE].map(({ source }) => source).join('|'), 'g');
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Embedding, override and isolate marks make text read other than it is; so do invisible tags and stray fillers. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text that is safe to print, over several lines. A lone carriage return must not hide what stood before it. */
export function plain(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, '')
    .replace(DIRECTIONS, '')
    .replaceAll('\t', '    ');
}

/** The same, on one line. */
export const plainLine = (text: string): string =>
  plain(text)
    .replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))
    .trim();
