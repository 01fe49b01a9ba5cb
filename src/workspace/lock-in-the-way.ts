const BEGIN = "Unable to create '";
const END = "': File exists";

/** The lock that git says it could not make because there is one. */
export function lockInTheWay(err: string): string | undefined {
  const from = err.indexOf(BEGIN);
  const to = from === -1 ? -1 : err.indexOf(END, from);
  const path = to === -1 ? '' : err.slice(from + BEGIN.length, to);
  return path.endsWith('.lock') && !path.includes('\n') ? path : undefined;
}
