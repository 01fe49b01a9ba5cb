import { eventId, type TopicPosition } from '../../wire/topic.ts';

/** One thing that happened in a history: it takes one of the numbers of a place further. */
export interface Happening {
  readonly event: string;
  readonly data: unknown;
  readonly lane: number;
  readonly at: number;
}

/** Events that travel together. Their text is made once, however many clients they go to. */
export interface EventBatch {
  readonly from: TopicPosition;
  readonly to: TopicPosition;
  readonly happenings: readonly Happening[];
  /** Nothing comes after it. */
  readonly over: boolean;
  readonly sse: Buffer;
  readonly socket: Buffer;
}

interface Told {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

type Texts = Pick<EventBatch, 'sse' | 'socket'>;

export function historyBatch(topic: string, from: TopicPosition, happenings: readonly Happening[], over: boolean): EventBatch {
  const told: Told[] = [];
  let to = from;
  for (const { event, data, lane, at } of happenings) {
    to = to.with(lane, at);
    told.push({ id: eventId(topic, to), event, data });
  }
  return withTexts({ from, to, happenings, over }, told);
}

/** What is not part of a history has no id: nothing can be taken up after it. */
export const passingBatch = (told: readonly Told[]): Texts => withTexts({}, told);

/** Each form is made when the first client needs it. */
function withTexts<Rest extends object>(rest: Rest, told: readonly Told[]): Rest & Texts {
  let [sse, socket]: (Buffer | undefined)[] = [];
  return {
    ...rest,
    get sse() {
      sse ??= Buffer.from(told.map(asSse).join(''));
      return sse;
    },
    get socket() {
      socket ??= Buffer.from(`{"type":"events","items":[${told.map((one) => JSON.stringify(one)).join(',')}]}`);
      return socket;
    },
  };
}

const asSse = ({ id, event, data }: Told): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
