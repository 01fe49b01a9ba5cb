import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunId, TaskId } from '../values.ts';
import { claimedResult, Report, type ReportSources, reportOf } from './report.ts';

const sources = (over: Partial<ReportSources>): ReportSources => ({
  runId: `run_${'0'.repeat(26)}` as RunId,
  taskId: `task_${'0'.repeat(26)}` as TaskId,
  at: '2030-01-01T00:00:00.000Z',
  ...over,
});
const git = {
  commits: [{ id: 'a'.repeat(40), subject: 'add it' }],
  files: [{ path: 'src/a.ts', status: 'M', added: 3, removed: 1 }],
  totals: { commits: 1, files: 1, added: 3, removed: 1 },
};

describe('a report', () => {
  it('comes from the result file, else from the answer, else from git alone', () => {
    const file = { value: { status: 'completed', summary: 'by file' } };
    const answer = { status: 'success', summary: 'by answer' };
    expect(reportOf(sources({ file, answer }))).toMatchObject({ channel: 'file', status: 'succeeded', summary: 'by file' });
    expect(reportOf(sources({ answer }))).toMatchObject({ channel: 'answer', status: 'succeeded', summary: 'by answer' });
    expect(reportOf(sources({ git, summary: 'last words' }))).toMatchObject({
      channel: 'salvage',
      status: 'unknown',
      summary: 'last words',
      totals: { files: 1 },
    });
  });

  it('has every field, in snake case or camel case', () => {
    const value = {
      status: 'blocked',
      summary: 's',
      done: ['a'],
      open: ['b'],
      tested: ['c'],
      untested: 'd',
      tests: [{ command: 'npm test', status: 'passed', details: '3 of 3' }, 'junk'],
      next_steps: ['e'],
      errors: ['f'],
      preview_url: 'http://127.0.0.1:3000',
    };
    expect(reportOf(sources({ file: { value } }))).toMatchObject({
      status: 'blocked',
      done: ['a'],
      open: ['b'],
      tested: ['c'],
      untested: ['d'],
      tests: [{ command: 'npm test', status: 'passed', details: '3 of 3' }],
      nextSteps: ['e'],
      errors: ['f'],
      previewUrl: 'http://127.0.0.1:3000',
    });
    expect(reportOf(sources({ answer: { nextSteps: ['x'], previewUrl: 'javascript:alert(1)' } }))).toMatchObject({
      nextSteps: ['x'],
    });
    expect(reportOf(sources({ answer: { previewUrl: 'javascript:alert(1)' } })).previewUrl).toBeUndefined();
  });

  it('takes files and commits from git, and doubts claims that git does not confirm', () => {
    const report = reportOf(sources({ file: { value: { files: ['src/a.ts', './src/a.ts', 'src/b.ts'] } }, git }));
    expect(report.files).toEqual([{ path: 'src/a.ts', status: 'M', added: 3, removed: 1 }]);
    expect(report.commits).toEqual(git.commits);
    expect(report.doubts).toEqual(['it says it changed src/b.ts; git sees no change there']);
  });

  it('says why a result file could not be used [R31]', () => {
    const report = reportOf(
      sources({ file: { problem: 'invalid_result: not JSON' }, answer: { status: 'done', summary: 'fine' } }),
    );
    expect(report).toMatchObject({ channel: 'answer', status: 'succeeded', doubts: ['invalid_result: not JSON'] });
  });

  it('takes its status from the first channel that has one, and from a final answer that is a report', () => {
    const blocked = { status: 'Needs input', summary: 'why' };
    expect(claimedResult(sources({ file: { value: { summary: 'half' } }, answer: blocked }))).toEqual({
      status: 'blocked',
      summary: 'why',
    });
    expect(claimedResult(sources({ submitted: { status: 'failed' }, file: { value: blocked } }))?.status).toBe('failed');
    expect(claimedResult(sources({ summary: JSON.stringify(blocked) }))).toEqual({ status: 'blocked', summary: 'why' });
    expect(claimedResult(sources({ summary: `I stop.\n\n\`\`\`json\n${JSON.stringify(blocked)}\n\`\`\`\n` }))?.status).toBe(
      'blocked',
    );
    for (const prose of ['I am blocked', '{"status":"blocked"} is what I would say', '{"status":', '{"state":"failed"}'])
      expect(claimedResult(sources({ summary: prose }))).toBeUndefined();
  });

  it.each([
    ['partial', 'blocked'],
    ['in-progress', 'blocked'],
    ['no_changes', 'succeeded'],
    ['aborted', 'failed'],
  ])('reads %s as %s', (word, status) => expect(claimedResult(sources({ answer: { status: word } }))?.status).toBe(status));

  it('doubts an unknown status, and takes the outcome of the run instead', () => {
    const report = reportOf(sources({ answer: { status: 'wip' }, outcome: 'succeeded' }));
    expect(report).toMatchObject({ status: 'succeeded', doubts: [expect.stringContaining('"wip", which is none of')] });
  });

  it('accepts any value without throwing, and stays small [R31]', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, answer) => {
        const report = reportOf(sources({ file: { value }, answer, git }));
        expect(Report.parse(report)).toEqual(report);
      }),
    );
    const huge = { summary: 'x'.repeat(1_000_000), done: Array.from({ length: 10_000 }, () => 'y'.repeat(10_000)) };
    expect(JSON.stringify(reportOf(sources({ answer: huge }))).length).toBeLessThan(200_000);
  });
});
