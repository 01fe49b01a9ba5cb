import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../executor.ts';
import { begun, eventsOf, linesOf, read, says, told, turnBegan, turnEnded, working } from './play-support.ts';

describe('the end of a turn', () => {
  const endOf = (codexErrorInfo: unknown, message = 'why'): readonly AgentEvent[] =>
    read(working(), [turnEnded('turn-1', { status: 'failed', error: { message, codexErrorInfo } })]).events.slice(1);
  const status = (httpStatusCode: number | null) => ({ responseStreamDisconnected: { httpStatusCode } });
  const verdicts: readonly [unknown, string][] = [
    ['contextWindowExceeded', 'context_full'],
    ['sessionBudgetExceeded', 'over_budget'],
    ['unauthorized', 'auth_required'],
    [status(401), 'auth_required'],
    [status(403), 'auth_required'],
    ['modelNotFound', 'refused'],
    ['cyberPolicy', 'refused'],
    [status(404), 'refused'],
    ['internalServerError', 'errored'],
    [status(500), 'errored'],
    [status(null), 'errored'],
    ['other', 'errored'],
    ['an unknown kind', 'errored'],
    [{}, 'errored'],
    [null, 'errored'],
  ];

  it.each(verdicts)('of kind %j is %s', (kind, verdict) => {
    expect(endOf(kind)).toMatchObject([{ type: 'ended', verdict }]);
  });

  it.each(['usageLimitExceeded', 'rateLimitExceeded', 'serverOverloaded', status(429), status(529)])(
    'of kind %j is a limit [RUN-04]',
    (kind) => {
      expect(endOf(kind).map(({ type }) => type)).toEqual(['limited', 'ended']);
    },
  );

  it('names the log-in command', () => {
    expect(JSON.stringify(endOf('unauthorized'))).toContain('codex login');
  });

  it('is a limit until the last used-up quota window resets [RUN-04]', () => {
    const played = read(begun(), linesOf('usage-limit'));
    expect(eventsOf(played, 'quota')).toEqual([
      { type: 'quota', window: '5h', used: 1, resets: '2033-05-18T03:33:20.000Z' },
      { type: 'quota', window: '7d', used: 0.4, resets: '2033-05-19T04:33:20.000Z' },
    ]);
    expect(eventsOf(played, 'limited')).toMatchObject([{ until: '2033-05-18T03:33:20.000Z' }]);
  });

  it('is no success if it was interrupted, or if the model said and did nothing', () => {
    expect(eventsOf(read(begun(), linesOf('interrupted')), 'ended')).toMatchObject([{ verdict: 'errored' }]);
    expect(eventsOf(read(begun(), linesOf('refusal')), 'ended')).toMatchObject([{ verdict: 'refused' }]);
  });

  it('is forced if codex retries its model too often', () => {
    const again = told('error', { willRetry: true, error: { message: 'Reconnecting', codexErrorInfo: status(null) } });
    const seven = read(
      working(),
      Array.from({ length: 7 }, () => again),
    );
    expect(eventsOf(seven, 'ended')).toEqual([]);
    expect(eventsOf(read(seven, [again]), 'ended')).toMatchObject([{ verdict: 'errored' }]);
    const between = read(seven, [says('turn-1', 'still here'), again]);
    expect(eventsOf(between, 'ended')).toEqual([]);
  });

  it('is emitted once', () => {
    const over = read(working(), [says('turn-1', 'done'), turnEnded('turn-1')]);
    const more = read(over, [turnEnded('turn-1'), turnBegan('turn-2'), says('turn-2', 'x'), turnEnded('turn-2')]);
    expect(more.events).toEqual(over.events);
  });
});
