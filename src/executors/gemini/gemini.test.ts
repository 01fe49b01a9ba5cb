import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';
import { plainJob } from '../kit/jobs.ts';
import { gemini } from './gemini.ts';

const executor = gemini('gemini');

executorConformance({ executor, transcripts: new URL('./transcripts/', import.meta.url) });

describe('the Gemini CLI', () => {
  const policy = (tools: readonly string[]) =>
    executor.launch({ ...plainJob, tools }).files.find(({ name }) => name.endsWith('.toml'))?.text ?? '';

  it('without a restriction asks for nothing, stays one process and does not update itself', () => {
    const { args, env, files } = executor.launch({ ...plainJob, model: 'm', maxTurns: 3 });
    expect(args).toEqual(['--acp', '--approval-mode', 'yolo', '--model', 'm', '--include-directories', plainJob.runDirectory]);
    expect(env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' });
    expect(JSON.parse(files[0]?.text ?? '')).toMatchObject({
      general: { enableAutoUpdate: false },
      telemetry: { enabled: false },
      model: { maxSessionTurns: 3 },
    });
  });

  it('may read and write the notes of its task with its own tools', () => {
    const { args } = executor.launch({ ...plainJob, notesDirectory: '/the notes' });
    expect(args.join(' ')).toContain(`--include-directories ${plainJob.runDirectory} --include-directories /the notes`);
  });

  it('has a policy above those of user and repository if tools are restricted [EXEC-06]', () => {
    expect(executor.launch({ ...plainJob, tools: PRESETS.review }).args.join(' ')).toMatch(
      /--admin-policy \S+ --allowed-mcp-server-names fleet/,
    );
    const { rule } = parse(policy(PRESETS.review)) as { rule: { toolName: unknown; decision: string }[] };
    const decided = (tool: string) =>
      rule.findLast(({ toolName }) => toolName === tool || (Array.isArray(toolName) && toolName.includes(tool)));
    expect(rule[0]).toMatchObject({ toolName: '*', decision: 'deny' });
    expect(decided('run_shell_command')).toMatchObject({ decision: 'ask_user' });
    expect(decided('read_file')).toMatchObject({ decision: 'allow' });
    expect(decided('write_file')).toBeUndefined();
    expect(rule.at(-1)).toMatchObject({ mcpName: '*', decision: 'allow' });
    expect(policy(PRESETS.implement)).toContain('"write_file"');
    expect(policy(['Read'])).not.toContain('run_shell_command');
  });
});
