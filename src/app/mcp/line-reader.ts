const LONGEST_BYTES = 8 * 1024 * 1024;

/** Hands over each line of a stream until it ends. What is no JSON, or too long, is told and passed over. */
export async function lineReader(
  input: AsyncIterable<Uint8Array | string>,
  take: (line: string) => void,
  refuse: (why: string) => void,
): Promise<void> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    let from = 0;
    const data = Buffer.from(chunk);
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, from)) {
      const line = Buffer.concat([...rest, data.subarray(from, at)]);
      const isLong = bytes + at - from > LONGEST_BYTES;
      [rest, bytes, from] = [[], 0, at + 1];
      if (isLong) refuse(`a message of more than ${LONGEST_BYTES} bytes`);
      else taken(line.toString('utf8').trim(), take, refuse);
    }
    bytes += data.length - from;
    // Of a line that is too long only its length is kept.
    rest = bytes > LONGEST_BYTES ? [] : [...rest, data.subarray(from)];
  }
}

function taken(line: string, take: (line: string) => void, refuse: (why: string) => void): void {
  if (line === '') return;
  try {
    take(line);
  } catch (error) {
    refuse(error instanceof SyntaxError ? 'not JSON' : String(error));
  }
}
