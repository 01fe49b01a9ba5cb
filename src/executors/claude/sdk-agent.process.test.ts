import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundled } from '../../../test/support/bundle.ts';
import { plainJob } from '../kit/jobs.ts';
import { claude } from './claude.ts';

/** A stand-in with the SDK's interface and no program behind it: it echoes, asks for permission, and fails after a result. */
const STAND_IN = `
export const query = ({ prompt, options }) => Object.assign((async function* () {
  for await (const message of prompt) {
    const text = message.message.content;
    yield { type: 'command_lifecycle', command_uuid: message.uuid, state: 'started' };
    if (text === 'ask') {
      const signal = new AbortController().signal;
      const answer = await options.canUseTool('Bash', { command: 'git push' }, { requestId: 'r-1', toolUseID: 't-1', signal });
      yield { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: answer.behavior }] } };
    }
    if (text === 'fail') {
      yield { type: 'result', subtype: 'success', is_error: true, result: 'overloaded', api_error_status: 529 };
      throw new Error('Claude Code process exited with code 1');
    }
    yield { type: 'result', subtype: 'success', is_error: false, result: options.pathToClaudeCodeExecutable };
  }
})(), { getContextUsage: async () => ({ maxTokens: 200000, totalTokens: 7 }) });
`;

let agent = '';
let directory = '';
beforeAll(async () => {
  agent = bundled('src/executors/claude/sdk-agent.ts');
  directory = await mkdtemp(join(tmpdir(), 'fleet claude '));
  await writeFile(join(directory, 'sdk.mjs'), STAND_IN);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

/** Plays a run as Fleet does: sends the executor's lines, and closes the input once the run has ended. */
function played(prompt: string, sdk = join(directory, 'sdk.mjs'), more: readonly string[] = []): Promise<Ended> {
  const executor = claude({ kind: 'sdk', command: '/bin/claude', sdk, node: process.execPath, agent });
  const job = { ...plainJob, prompt, tools: ['Read'] };
  const { command, args } = executor.launch(job);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  let { state, send } = executor.begin(job);
  let rest = '';
  const lines: Readonly<Record<string, unknown>>[] = [];
  for (const line of [...send, ...more]) child.stdin.write(`${line}\n`);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      lines.push(JSON.parse(part) as Readonly<Record<string, unknown>>);
      const step = executor.step(state, part);
      ({ state, send } = step);
      for (const line of send) child.stdin.write(`${line}\n`);
      if (step.events.some(({ type }) => type === 'ended')) child.stdin.end();
    }
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, lines })));
}

it('passes messages to the SDK and prints its output, until its input ends [EXEC-01]', async () => {
  const { code, lines } = await played('hello');
  expect(code).toBe(0);
  expect(lines.map(({ type }) => type)).toEqual(['command_lifecycle', 'result']);
  expect(lines[1]).toMatchObject({ result: '/bin/claude' });
});

it('asks Fleet as the program would, and passes on the answer [EXEC-06]', async () => {
  const { lines } = await played('ask');
  expect(lines[1]).toMatchObject({
    type: 'control_request',
    request_id: 'r-1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash' },
  });
  expect(JSON.stringify(lines[2])).toContain('deny');
});

it('prints the result before it fails [EXEC-01]', async () => {
  const { code, lines } = await played('fail');
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: true, result: 'overloaded' });
});

it('answers a request for the size of the window', async () => {
  const request = { type: 'control_request', request_id: 'run_1.window', request: { subtype: 'get_context_usage' } };
  const { lines } = await played('hello', undefined, [JSON.stringify(request)]);
  expect(lines).toContainEqual({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'run_1.window', response: { maxTokens: 200_000, totalTokens: 7 } },
  });
});

it('says what to do if there is no SDK', async () => {
  const { code, lines } = await played('hello', join(directory, 'nothing.mjs'));
  expect(code).toBe(1);
  const executor = claude({ kind: 'cli', command: 'claude' });
  const [ended] = executor.step(executor.begin(plainJob).state, JSON.stringify(lines[0])).events;
  expect(ended).toMatchObject({ type: 'ended', verdict: 'refused', summary: expect.stringContaining('claude_engine=cli') });
});
