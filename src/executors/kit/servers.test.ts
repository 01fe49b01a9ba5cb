import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { copilot } from '../copilot/copilot.ts';
import type { Executor, Job } from '../executor.ts';
import { gemini } from '../gemini/gemini.ts';
import { opencode } from '../opencode/opencode.ts';
import { qwen } from '../qwen/qwen.ts';
import { plainJob } from './jobs.ts';

describe('a restricted run', () => {
  const server = { command: 'fleet', args: ['mcp'], env: {} };
  const launchText = (executor: Executor, servers: Job['servers']): string => {
    const { args, env } = executor.launch({ ...plainJob, tools: PRESETS.review, mcp: server, servers });
    return JSON.stringify([args, env]).replaceAll('\\', '');
  };

  it.each([
    ['copilot', copilot('x'), '"--allow-tool=vault"'],
    ['gemini', gemini('x'), '"--allowed-mcp-server-names","fleet,vault"'],
    ['opencode', opencode('x'), '"vault_*":"allow"'],
    ['qwen', qwen('x'), '"--allowed-mcp-server-names=fleet,vault"'],
  ])('of %s may use only the MCP servers it is given [AUTO-08] [EXEC-06]', (_name, executor, allowed) => {
    expect(launchText(executor, { vault: server })).toContain(allowed);
    expect(launchText(executor, undefined)).not.toContain('vault');
  });
});
