import { describe, expect, it } from 'vitest';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { plainJob } from '../kit/jobs.ts';
import { agy, agyProgram } from './agy.ts';

const executor = agy('agy');

executorConformance({ executor, transcripts: new URL('./transcripts/', import.meta.url), unknown: ['', '   '] });

describe('the Antigravity CLI', () => {
  it.skip('works with the real program; not run: it is in no package registry, and no transcript of it was recorded', () => {});

  it('gets its prompt on the command line, and is marked as not proved', () => {
    const { command, args } = executor.launch({ ...plainJob, systemPrompt: 'Be brief.', extraArgs: ['--x'] });
    expect([command, ...args]).toEqual(['agy', '-p', 'Be brief.\n\nmake it so', '--dangerously-skip-permissions', '--x']);
    expect(executor.launch({ ...plainJob, prompt: 'x'.repeat(200_000) }).args[1]).toContain(plainJob.promptFile);
    expect(agyProgram.proved).toBe('none');
  });

  it('succeeds if it has printed something and exits with 0', () => {
    const { state } = executor.step(executor.begin(plainJob).state, 'All done.');
    expect(executor.exit(state, 0)).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'All done.' }]);
    expect(executor.exit(state, 1)).toEqual([]);
    expect(executor.exit(executor.begin(plainJob).state, 0)).toEqual([]);
  });
});
