import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { plainJob } from '../kit/jobs.ts';
import { parseCustomExecutor } from './custom.ts';

it('passes any prompt to a real program as one argument, and reads its output', () => {
  const executor = parseCustomExecutor('mine', 'command = ["printf", "%s\\\\n", "--", "{prompt}", "end"]\nenv = { A = "b" }');
  const prompt = '--version $(touch x) `id` "two"; \'words\'';
  const { command, args, env } = executor.launch({ ...plainJob, prompt });
  const { stdout, status } = spawnSync(command, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  let { state } = executor.begin(plainJob);
  const events = stdout
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const next = executor.step(state, line);
      state = next.state;
      return next.events;
    });
  expect(events.slice(-2)).toEqual([
    { type: 'said', text: prompt },
    { type: 'said', text: 'end' },
  ]);
  expect(executor.exit(state, status ?? 1)).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'end' }]);
});
