import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { plainJob } from '../kit/jobs.ts';
import { copilot, copilotProgram } from './copilot.ts';

const executor = copilot('copilot');

executorConformance({ executor, transcripts: new URL('./transcripts/', import.meta.url) });

describe('the Copilot CLI', () => {
  it('is started as the native program, not as its wrapper script', () => {
    expect(copilotProgram.native?.('/lib/node_modules/@github/copilot/npm-loader.js')).toContain(
      '/lib/node_modules/@github/copilot-linux-x64/copilot',
    );
    expect(copilotProgram.native?.('/usr/bin/copilot')).toEqual([]);
  });

  it('has only the allowed tools, and asks for each command if not all are allowed [EXEC-06]', () => {
    const { args } = executor.launch({ ...plainJob, tools: PRESETS.review });
    expect(args.find((arg) => arg.startsWith('--excluded-tools='))).toContain('create,edit,apply_patch');
    expect(args).not.toContain('--allow-tool=shell');
    expect(args).not.toContain('--allow-all');
    expect(executor.launch({ ...plainJob, tools: PRESETS.implement }).args).toContain('--allow-tool=shell');
    expect(executor.launch(plainJob).args).toContain('--allow-all');
  });
});
