type Json = Record<string, unknown>;

export const LIVE_PATH = '/v1/live';

/** The one route that is no operation: an answer that goes on. A WebSocket is opened at the same path. */
export const liveOperation = (refusals: Json): Json => ({
  operationId: 'live.follow',
  tags: ['live'],
  summary: 'Follow tasks, runs, the board or questions as they change.',
  description:
    'Server-sent events, each once and in order. Taken up again after the last event that was seen, by `after` or `Last-Event-ID`. A request to upgrade opens a WebSocket with the same events.',
  parameters: [
    list('topic', 'what to follow, like `task/ID`, `run/ID`, `inbox/TASK-ID`, `board` or `questions`; may be repeated', true),
    list('after', 'id of the last event that was seen of a topic; may be repeated', false),
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      schema: { type: 'string' },
      description: 'the same as `after`, as browsers say it',
    },
  ],
  responses: {
    '200': { description: 'The events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    '204': { description: 'Everything asked for has ended: there is nothing to come back for.' },
    ...refusals,
  },
});

const list = (name: string, description: string, required: boolean): Json => ({
  name,
  in: 'query',
  required,
  schema: { type: 'array', items: { type: 'string' } },
  description,
});
