import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';
import type { Step } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';

import { opencode, opencodeProgram } from './opencode.ts';

const executor = opencode('opencode');

executorConformance({ executor, transcripts: new URL('./transcripts/', import.meta.url) });

const configFor = (job: object) =>
  JSON.parse(executor.launch({ ...plainJob, ...job }).env['OPENCODE_CONFIG_CONTENT'] ?? '{}') as {
    permission: unknown;
    agent?: { fleet: { permission: Record<string, unknown> } };
  };

describe('opencode', () => {
  it('may do everything without a restriction, and neither updates itself nor shares anything', () => {
    expect(configFor({})).toMatchObject({ autoupdate: false, share: 'disabled', permission: 'allow' });
  });

  it('runs as an agent of Fleet if its tools are restricted, whatever the repository configures [EXEC-06]', () => {
    const { agent } = configFor({ tools: PRESETS.review });
    expect(agent?.fleet.permission).toMatchObject({ '*': 'deny', edit: 'deny', bash: 'ask', read: 'allow', 'fleet_*': 'allow' });
    expect(executor.launch({ ...plainJob, tools: PRESETS.review }).env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' });
    expect(configFor({ tools: PRESETS.implement }).agent?.fleet.permission).toMatchObject({ edit: 'allow', bash: 'allow' });
    expect(configFor({ tools: ['Read'] }).agent?.fleet.permission).toMatchObject({
      bash: 'deny',
      glob: 'deny',
      webfetch: 'deny',
    });
  });

  it('outside its workspace reaches only the notes of its task, unless it may run any command [EXEC-06]', () => {
    const outside = (tools: readonly string[]) =>
      configFor({ tools, notesDirectory: '/notes' }).agent?.fleet.permission['external_directory'];
    expect(outside(PRESETS.review)).toEqual({ '*': 'deny', '/somewhere/run_1/*': 'allow', '/notes/*': 'allow' });
    expect(outside(PRESETS.implement)).toBe('allow');
  });

  it('takes a message during its work, and is over once both prompts are answered [RUN-10]', () => {
    const lines = readFileSync(new URL('./transcripts/steered/steered.jsonl', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    let step: Step = executor.begin(plainJob);
    const events = [];
    for (const line of lines) {
      step = executor.step(step.state, line);
      events.push(...step.events);
      const isFirst = events.filter(({ type }) => type === 'tool').length === 1;
      if (isFirst && step.events.some(({ type }) => type === 'tool'))
        step = executor.say(step.state, { n: 1, text: 'also say hello' }) ?? step;
    }
    expect(events.filter(({ type }) => type === 'tool')).toHaveLength(2);
    expect(events.slice(-2)).toMatchObject([
      { type: 'heard', n: 1 },
      { type: 'ended', verdict: 'succeeded' },
    ]);
  });

  it('is started as the native program, not as its wrapper script', () => {
    expect(opencodeProgram.native?.('/lib/node_modules/opencode-ai/bin/opencode')).toContain(
      '/lib/node_modules/opencode-linux-x64/bin/opencode',
    );
    expect(opencodeProgram.native?.('/usr/local/bin/opencode')).toEqual([]);
  });
});
