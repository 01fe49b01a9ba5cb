import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { plainJob } from '../kit/jobs.ts';
import { qwen } from './qwen.ts';

const executor = qwen('qwen');

executorConformance({ executor, transcripts: new URL('./transcripts/', import.meta.url) });

describe('Qwen Code', () => {
  it('does not have the tools that it may not use [EXEC-06]', () => {
    const { args } = executor.launch({ ...plainJob, tools: PRESETS.review });
    expect(args.join(' ')).toContain('--approval-mode default --exclude-tools=write_file,edit,notebook_edit,web_fetch');
    expect(executor.launch(plainJob).args.join(' ')).toContain('--approval-mode yolo');
  });
});
