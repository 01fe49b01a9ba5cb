/** One event as its text says it. */
export interface RawEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** The longest event there can be, and something to spare: a server that sends more is none of ours. */
const LONGEST = 16 * 1_024 * 1_024;

/** Cuts the text of a stream of server-sent events. An event that was broken off is none. */
export async function* eventsIn(text: AsyncIterable<string>): AsyncGenerator<RawEvent> {
  let rest = '';
  for await (const part of text) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > LONGEST) throw new Error('an event without end');
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

function eventIn(block: string): RawEvent | undefined {
  const fields: { id?: string; event?: string } = {};
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    if (name === 'data') data.push(value);
    if (name === 'id' || name === 'event') fields[name] = value;
  }
  return data.length === 0 ? undefined : { event: 'message', ...fields, data: data.join('\n') };
}
