import { expect, it } from 'vitest';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { plainJob } from '../kit/jobs.ts';
import { scripted } from './scripted.ts';

const executor = scripted({ node: 'node', agent: 'scripted-agent.mjs' });

executorConformance({ executor, transcripts: new URL('./transcripts/', import.meta.url) });

it('gets its run, its result file and the conversation to resume as arguments', () => {
  const { command, args, mode } = executor.launch({ ...plainJob, resume: 's-1', extraArgs: ['-x'] });
  expect([command, ...args]).toEqual(
    [
      'node',
      'scripted-agent.mjs',
      plainJob.promptFile,
      '--mode',
      'oneway',
      '--run',
      'run_1',
      '--result',
      plainJob.resultFile,
    ].concat(['--resume', 's-1', '--', '-x']),
  );
  expect(mode).toBe('oneway');
  expect(executor.launch({ ...plainJob, resume: 's-1', fork: true }).args.slice(-3)).toEqual(['--resume', 's-1', '--fork']);
});

it('is two-way if its scenario says so, and then waits for the start', () => {
  const job = { ...plainJob, prompt: '```scenario\n# greets\ntwoway\nlisten\n```' };
  expect(executor.launch(job).mode).toBe('twoway');
  expect(executor.begin(job).send).toEqual(['{"type":"start"}']);
});

it('refuses messages and answers in one-way scenarios', () => {
  const { state } = executor.begin(plainJob);
  const asked = executor.step(state, '{"type":"asked","request":"r.1","kind":"question","text":"which?","options":[]}');
  expect(executor.say(asked.state, { n: 1, text: 'hello' })).toBeUndefined();
  expect(executor.answer(asked.state, 'r.1', 'this')).toBeUndefined();
});

it('emits a request once, however often it is printed', () => {
  const line = '{"type":"asked","request":"r.1","kind":"question","text":"which?","options":["a","b"]}';
  const first = executor.step(executor.begin({ ...plainJob, prompt: 'twoway' }).state, line);
  expect(first.events).toHaveLength(1);
  expect(executor.step(first.state, line)).toEqual({ state: first.state, events: [], send: [] });
});
