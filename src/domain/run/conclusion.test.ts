import { describe, expect, it } from 'vitest';
import { type ClaimedResult, conclude } from './conclusion.ts';
import type { RunEndFacts } from './outcome.ts';
import type { Outcome, Run, Watch } from './run.ts';

interface End {
  readonly verdict?: Watch['verdict'];
  readonly facts: RunEndFacts;
  /** How Fleet had decided to end the run. */
  readonly ending?: Outcome;
}

/** How a program can end. */
const ENDS = {
  'ended well': { verdict: 'succeeded', facts: { exit: 0 } },
  'said nothing': { facts: { exit: 0 } },
  'said success, exit 3': { verdict: 'succeeded', facts: { exit: 3 } },
  'exit 3': { facts: { exit: 3 } },
  'said error': { verdict: 'errored', facts: { exit: 0 } },
  'said blocked': { verdict: 'blocked', facts: { exit: 0 } },
  'said refused': { verdict: 'refused', facts: { exit: 0 } },
  'killed by a signal': { facts: { exit: 137 } },
  'ended by us, well': { verdict: 'succeeded', facts: { exit: 143 }, ending: 'succeeded' },
  stalled: { facts: { exit: 143 }, ending: 'stalled' },
  'timed out': { facts: { exit: 143 }, ending: 'timed_out' },
  'over budget': { verdict: 'over_budget', facts: { exit: 0 } },
  'context full': { verdict: 'context_full', facts: { exit: 0 } },
  flooded: { facts: { exit: 137 }, ending: 'output_limit' },
  limited: { verdict: 'limited', facts: { exit: 0 } },
  'not signed in': { verdict: 'auth_required', facts: { exit: 0 } },
  canceled: { facts: { exit: 143 }, ending: 'canceled' },
  lost: { facts: {} },
} satisfies Record<string, End>;

/** Columns: no report; each status of a report; then an open question, alone and with each status. */
const COLUMNS = ['-', 'succeeded', 'blocked', 'failed', 'asks', 'asks+succeeded', 'asks+blocked', 'asks+failed'] as const;

const TABLE: Readonly<Record<keyof typeof ENDS, string>> = {
  'ended well': 'succeeded succeeded blocked failed blocked blocked blocked blocked',
  'said nothing': 'quiet succeeded blocked failed blocked blocked blocked blocked',
  'said success, exit 3': 'crashed crashed blocked failed blocked blocked blocked blocked',
  'exit 3': 'crashed crashed blocked failed blocked blocked blocked blocked',
  'said error': 'crashed crashed blocked failed blocked blocked blocked blocked',
  'said blocked': 'blocked blocked blocked blocked blocked blocked blocked blocked',
  'said refused': 'refused refused blocked failed blocked blocked blocked blocked',
  'killed by a signal': 'crashed crashed blocked failed crashed crashed blocked failed',
  'ended by us, well': 'succeeded succeeded blocked failed blocked blocked blocked blocked',
  stalled: 'stalled stalled blocked failed blocked blocked blocked blocked',
  'timed out': same('timed_out'),
  'over budget': same('over_budget'),
  'context full': same('context_full'),
  flooded: same('output_limit'),
  limited: same('rate_limited'),
  'not signed in': same('auth_required'),
  canceled: same('canceled'),
  lost: same('lost'),
};

function same(outcome: Outcome): string {
  return COLUMNS.map(() => outcome).join(' ');
}

function concluded({ verdict, facts, ending }: End, column: string) {
  const phase = ending ? { state: 'ending', since: 'now', outcome: ending, why: 'so' } : { state: 'running' };
  const run = { phase, watch: { verdict, summary: 'the program', lastWords: '' } } as unknown as Run;
  const status = /succeeded|blocked|failed/.exec(column)?.[0] as ClaimedResult['status'] | undefined;
  return conclude(run, facts, {
    asks: column.startsWith('asks'),
    ...(status ? { report: { status, summary: `report of ${status}` } } : {}),
  });
}

describe('the conclusion from program, report and question [WORK-04] [TASK-11]', () => {
  const cells = Object.entries(TABLE).flatMap(([end, line]) =>
    line.split(' ').map((expected, at) => [end as keyof typeof ENDS, COLUMNS[at] ?? '', expected] as const),
  );
  it.each(cells)('program %s, report and question %s: %s', (end, column, expected) => {
    const { outcome, quiet } = concluded(ENDS[end], column);
    expect(quiet ? 'quiet' : outcome).toBe(expected);
  });

  it('has a cell for every end and column', () => {
    expect(cells).toHaveLength(Object.keys(ENDS).length * COLUMNS.length);
  });

  it('takes its reason from the source that decided', () => {
    expect(concluded(ENDS['ended well'], 'failed').detail).toBe('report of failed');
    expect(concluded(ENDS['ended well'], 'asks+blocked').detail).toBe('report of blocked');
    expect(concluded(ENDS['ended well'], 'asks').detail).toBe('it has asked something and stopped');
    expect(concluded(ENDS['ended well'], 'succeeded').detail).toBe('the program');
    expect(concluded(ENDS['said nothing'], 'succeeded').detail).toBe('report of succeeded');
  });
});
