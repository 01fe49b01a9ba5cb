import { expect, it } from 'vitest';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { plainJob } from '../kit/jobs.ts';
import { acp } from './acp.ts';

executorConformance({ executor: acp, transcripts: new URL('./transcripts/', import.meta.url) });

it('starts the program that the extra arguments name', () => {
  const { command, args } = acp.launch({ ...plainJob, extraArgs: ['my-agent', '--acp'] });
  expect([command, ...args]).toEqual(['my-agent', '--acp']);
  expect(acp.launch(plainJob).command).toBe('acp');
});
