import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import type { Job } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';
import { executor } from './play-support.ts';
import { codexProgram } from './program.ts';

describe('the command line of codex', () => {
  const settings = (job: Partial<Job>): readonly string[] => executor.launch({ ...plainJob, ...job }).args;

  it('disables telemetry and updates, trusts nothing in the workspace and leaves the user’s files alone [EXEC-07]', () => {
    const args = settings({ workDirectory: '/home/me/a "shop"/' });
    for (const setting of ['analytics.enabled=false', 'check_for_update_on_startup=false', 'features.daemon_auto_start=false'])
      expect(args).toContain(setting);
    expect(args).toContain('projects={"/home/me/a \\"shop\\""={"trust_level"="untrusted"}}');
    expect(executor.launch(plainJob).env).toEqual({});
  });

  it('passes any text through TOML', () => {
    const [systemPrompt, env] = ['be "brief"\n\u007f\u0001\\ é', { A: 'b "c"' }];
    const args = settings({ systemPrompt, mcp: { command: 'fleet', args: ['mcp', 'a b'], env } });
    expect(args).toContain('developer_instructions="be \\"brief\\"\\n\\u007f\\u0001\\\\ é"');
    expect(args.find((arg) => arg.startsWith('mcp_servers.fleet='))).toContain('"args"=["mcp","a b"],"env"={"A"="b \\"c\\""}');
  });

  it('names the MCP servers of the project and of Fleet [AUTO-08]', () => {
    const servers = { vault: { command: 'fleet', args: ['mcp', '--server', 'vault'], env: {} } };
    const args = settings({ mcp: { command: 'fleet', args: ['mcp'], env: {} }, servers });
    expect(args.filter((arg) => arg.startsWith('mcp_servers.')).map((arg) => arg.split('=')[0])).toEqual([
      'mcp_servers.fleet',
      'mcp_servers.vault',
    ]);
  });

  it('enables web search only if that is allowed', () => {
    const off = 'web_search="disabled"';
    expect(settings({ tools: PRESETS.implement })).toContain(off);
    expect(settings({ tools: ['Read', 'WebSearch'] })).not.toContain(off);
    expect(settings({})).not.toContain(off);
  });

  it('starts the native program beside the wrapper', () => {
    const found = codexProgram.native?.('/usr/lib/node_modules/@openai/codex/bin/codex.js') ?? [];
    expect(found).toContain(
      '/usr/lib/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'.replace(
        'codex-linux-x64',
        'codex-linux-x64',
      ),
    );
    expect(codexProgram.native?.('/usr/bin/codex')).toEqual([]);
  });
});
