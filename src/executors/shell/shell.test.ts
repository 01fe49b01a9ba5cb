import { expect, it } from 'vitest';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { shell } from './shell.ts';

executorConformance({ executor: shell, transcripts: new URL('./transcripts/', import.meta.url) });

it('judges by the exit code alone', () => {
  expect(shell.exit('all fine', 0)).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'all fine' }]);
  expect(shell.exit('all fine', 3)).toEqual([{ type: 'ended', verdict: 'refused', summary: 'exit code 3' }]);
  expect(shell.exit('', 137)).toEqual([{ type: 'ended', verdict: 'refused', summary: 'it was ended by signal 9' }]);
});
