/** One server-sent event. */
export interface SseEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** Longer than any event of Fleet: a server that sends more is not Fleet. */
const LONGEST = 16 * 1_024 * 1_024;

/** Parses a stream of server-sent events. An event cut off by the end of the stream is dropped. */
export async function* eventsIn(text: AsyncIterable<string>): AsyncGenerator<SseEvent> {
  let rest = '';
  for await (const part of text) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > LONGEST) throw new Error(`a server-sent event is longer than ${LONGEST} characters`);
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

function eventIn(block: string): SseEvent | undefined {
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
