import { extraDirectories, type Program } from '../../domain/agent/executor.ts';
import { hasTool, mayWrite } from '../../domain/agent/tools.ts';
import { acpExecutor } from '../acp-client/acp-client.ts';
import { fieldsOf, textIn } from '../acp-client/rpc.ts';
import type { Executor, Job } from '../executor.ts';

export const qwenProgram: Program = {
  command: 'qwen',
  versionArgs: ['--version'],
  proved: '0.24.4',
  install: 'npm install -g @qwen-code/qwen-code@0.24.4',
  login: 'qwen',
  keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'BAILIAN_CODING_PLAN_API_KEY'],
  credentials: ['.qwen/oauth_creds.json'],
  variables: ['QWEN_*', 'DASHSCOPE_*', 'BAILIAN_*', 'OPENAI_*'],
};

/** Qwen Code, by the Agent Client Protocol. */
export const qwen = (command: string): Executor =>
  acpExecutor({
    name: 'qwen',
    can: { resume: true, fork: false, steer: false, ask: true, usage: true, context: false, mcp: true, tools: true },
    program: qwenProgram,
    login: 'qwen, and choose how to sign in; or set OPENAI_API_KEY',
    modelAtLaunch: true,
    serverToolIn: (call) => textIn(fieldsOf(call['_meta'])['toolName'])?.match(/^mcp__.*/)?.[0],
    statusIn,
    launch: (job) => ({
      command,
      args: [
        '--acp',
        '--approval-mode',
        job.tools ? 'default' : 'yolo',
        ...(job.tools ? [`--exclude-tools=${excluded(job.tools).join(',')}`, `--allowed-mcp-server-names=${names(job)}`] : []),
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.maxTurns === undefined ? [] : ['--max-session-turns', String(job.maxTurns)]),
        ...extraDirectories(job).flatMap((place) => ['--include-directories', place]),
        ...job.extraArgs,
      ],
      env: { QWEN_TELEMETRY_ENABLED: 'false' },
      files: [],
    }),
  });

const names = ({ servers = {} }: Job): string => ['fleet', ...Object.keys(servers)].join(',');

/** The status of the provider, which its client library puts at the beginning of the message. */
function statusIn(error: Readonly<Record<string, unknown>>): number | undefined {
  const [, status] = /^([45]\d\d) /.exec(textIn(fieldsOf(error['data'])['details']) ?? '') ?? [];
  return status === undefined ? undefined : Number(status);
}

/** The tools to exclude. The program asks Fleet about each call of the others. */
const excluded = (tools: readonly string[]): string[] => [
  ...(mayWrite(tools) ? [] : ['write_file', 'edit', 'notebook_edit']),
  ...(hasTool(tools, 'Bash') ? [] : ['run_shell_command']),
  ...(hasTool(tools, 'WebFetch') ? [] : ['web_fetch']),
  ...(hasTool(tools, 'WebSearch') ? [] : ['web_search']),
  ...['task', 'agent', 'skill', 'monitor', 'cron_create', 'save_memory'],
];
