import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { executorConformance } from '../conformance/executor-conformance.ts';

import type { AgentEvent } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';
import { launchLaws } from '../kit/launch-laws.ts';
import { claude } from './claude.ts';
import { claudeProgram, sdkPlaces } from './program.ts';
import { uuidOf } from './uuid.ts';

const transcripts = new URL('./transcripts/', import.meta.url);
const cli = claude({ kind: 'cli', command: 'claude' });
const sdk = claude({ kind: 'sdk', command: 'claude', sdk: 'sdk.mjs', node: 'node', agent: 'claude-sdk-agent.mjs' });

executorConformance({ executor: cli, transcripts });

describe('claude by the Agent SDK', () => {
  for (const { title, check } of launchLaws(sdk)) it(`${title} [EXEC-02]`, () => expect(check).not.toThrow());

  it('passes the program the same arguments and reads the same lines [EXEC-01]', () => {
    const job = { ...plainJob, tools: PRESETS.review, model: 'opus', resume: 's-1', mcpConfig: '/somewhere/mcp.json' };
    const [direct, bridged] = [cli, sdk].map((executor) => executor.launch(job));
    expect(bridged?.args.slice(0, 3)).toEqual(['claude-sdk-agent.mjs', 'sdk.mjs', 'claude']);
    expect(direct?.args.slice(-(bridged?.args.length ?? 0) + 3)).toEqual(bridged?.args.slice(3));
    expect(bridged?.env).toEqual(direct?.env);
    expect(sdk.begin(job)).toEqual(cli.begin(job));
  });
});

const recorded = (name: string): string[] =>
  readFileSync(new URL(`${name}.jsonl`, transcripts), 'utf8')
    .trimEnd()
    .split('\n');

/** Plays the lines, with `after` called after each. */
function played(lines: readonly string[], begun: unknown, after: (state: unknown, events: readonly AgentEvent[]) => unknown) {
  let state = begun;
  const events: AgentEvent[] = [];
  const sent: string[] = [];
  for (const line of lines) {
    const step = cli.step(state, line);
    events.push(...step.events);
    sent.push(...step.send);
    state = after(step.state, step.events);
  }
  return { state, events, sent };
}

const typesIn = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);
const keep = (state: unknown): unknown => state;

it('hears messages sent during a turn, and ends only once none is left [RUN-10]', () => {
  let n = 0;
  const { events } = played(recorded('steered'), cli.begin(plainJob).state, (state, [first]) => {
    const isDue = first?.type === 'tool' || (first?.type === 'said' && first.text === 'first');
    return isDue ? cli.say(state, { n: ++n, text: 'more' })?.state : state;
  });
  expect(typesIn(events).filter((type) => ['heard', 'spent', 'said', 'ended'].includes(type))).toEqual([
    'heard',
    'said',
    'spent',
    'heard',
    'said',
    'spent',
    'ended',
  ]);
  expect(events.at(-1)).toEqual({ type: 'ended', verdict: 'succeeded', summary: 'second' });
});

it('ends with its last result if it exits without taking up the last message', () => {
  const said = cli.say(cli.begin(plainJob).state, { n: 1, text: 'too late' });
  const { state, events } = played(recorded('tool-use'), said?.state, keep);
  expect(typesIn(events)).not.toContain('ended');
  expect(cli.exit(state, 0)).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'done' }]);
  const lifecycle = { type: 'command_lifecycle', command_uuid: uuidOf('run_1.1'), state: 'cancelled' };
  const thrown = cli.step(state, JSON.stringify(lifecycle));
  expect(thrown.events).toEqual([{ type: 'ended', verdict: 'succeeded', summary: 'done' }]);
  expect(cli.exit(thrown.state, 0)).toEqual([]);
});

it('emits no verdict if it exits before a result', () => {
  expect(cli.exit(cli.begin(plainJob).state, 0)).toEqual([]);
});

it('reports its usage if it exits before the result [RUN-08]', () => {
  const cut = recorded('tool-use').filter((line) => !line.includes('"type":"result"'));
  const { state, events } = played(cut, cli.begin(plainJob).state, keep);
  expect(typesIn(events)).not.toContain('spent');
  expect(cli.exit(state, 137)).toEqual([
    { type: 'spent', inputTokens: 360, outputTokens: 3, cachedTokens: 150, model: 'claude-opus-5-5' },
  ]);
  const { state: whole } = played(recorded('tool-use'), cli.begin(plainJob).state, keep);
  expect(cli.exit(whole, 0)).toEqual([]);
});

it('takes no message once it is over', () => {
  const { state } = played(recorded('tool-use'), cli.begin(plainJob).state, keep);
  expect(cli.say(state, { n: 1, text: 'one more' })).toBeUndefined();
});

it('decides by the tools of the job whether a tool may be used [EXEC-06]', () => {
  const job = { ...plainJob, tools: PRESETS.review };
  const { events, sent } = played(recorded('restricted'), cli.begin(job).state, keep);
  const answers = sent.map((line) => (JSON.parse(line) as { response: { response: object } }).response.response);
  expect(answers).toMatchObject([{ behavior: 'deny' }, { behavior: 'deny' }, { behavior: 'allow' }]);
  expect(typesIn(events)).not.toContain('asked');
});

const request = (tool: string, input: object, subtype = 'can_use_tool'): string =>
  JSON.stringify({ type: 'control_request', request_id: 'r-1', request: { subtype, tool_name: tool, input } });

it.each([
  ['review', 'mcp__fleet__submit_report', {}, 'allow'],
  ['review', 'mcp__other__write', {}, 'deny'],
  ['review', 'Write', { file_path: 'a' }, 'deny'],
  ['review', 'Read', { file_path: '/elsewhere' }, 'allow'],
  ['review', 'AskUserQuestion', { questions: [] }, 'deny'],
  ['test', 'Edit', { file_path: 'a' }, 'allow'],
  ['test', 'Bash', { command: 'npm test && git push' }, 'deny'],
  ['test', 'Bash', { command: 'npm test' }, 'allow'],
] as const)('under %s, %s is decided without a person [EXEC-06]', (preset, tool, input, behavior) => {
  const { state } = cli.begin({ ...plainJob, tools: PRESETS[preset] });
  const [line = ''] = cli.step(state, request(tool, input)).send;
  expect(JSON.parse(line)).toMatchObject({ response: { request_id: 'r-1', response: { behavior } } });
});

it('asks a person if the program asks although everything is allowed', () => {
  const asked = cli.step(cli.begin(plainJob).state, request('Bash', { command: 'rm -rf /' }));
  expect(asked.events).toMatchObject([{ type: 'asked', kind: 'permission', options: ['allow', 'deny'] }]);
  const behaviour = (text: string) => JSON.parse(cli.answer(asked.state, 'r-1', text)?.send[0] ?? '{}') as unknown;
  expect(behaviour('allow')).toMatchObject({
    response: { response: { behavior: 'allow', updatedInput: { command: 'rm -rf /' } } },
  });
  expect(behaviour('not today')).toMatchObject({ response: { response: { behavior: 'deny', message: 'not today' } } });
});

it('refuses unknown requests, and those too long for the state', () => {
  const { state } = cli.begin(plainJob);
  expect(cli.step(state, request('x', {}, 'elicitation')).send[0]).toContain('"subtype":"error"');
  expect(cli.step(state, request('Bash', { command: 'x'.repeat(10_000) })).send[0]).toContain('"behavior":"deny"');
});

it('forgets a withdrawn request', () => {
  const asked = cli.step(cli.begin(plainJob).state, request('Bash', { command: 'x' }));
  const gone = cli.step(asked.state, JSON.stringify({ type: 'control_cancel_request', request_id: 'r-1' }));
  expect(cli.answer(gone.state, 'r-1', 'allow')).toBeUndefined();
});

it('offers only the tools of the job, and ignores the settings of the repository [EXEC-06] [T12]', () => {
  const argsOf = (tools: readonly string[] | undefined): string => cli.launch({ ...plainJob, tools }).args.join(' ');
  expect(argsOf(undefined)).toContain('--permission-mode bypassPermissions');
  expect(argsOf(undefined)).not.toContain('--tools');
  expect(argsOf(PRESETS.implement)).toContain('--tools Read,Grep,Glob,Write,NotebookEdit,Edit,Bash,TaskStop');
  expect(argsOf(PRESETS.implement)).not.toContain('--strict-mcp-config');
  expect(argsOf(PRESETS.review)).toContain('--tools Read,Grep,Glob,Bash,TaskStop,ToolSearch');
  expect(argsOf(PRESETS.review)).toContain('--strict-mcp-config --permission-mode manual');
  for (const tools of [undefined, PRESETS.implement, PRESETS.review]) expect(argsOf(tools)).toMatch(/--setting-sources user$/);
});

it('counts the usage since the previous result, never the totals of a conversation [RUN-08]', () => {
  const costs = ['resumed', 'forked'].map((name) => {
    const line = recorded(name).find((text) => text.includes('"type":"result"')) ?? '';
    const { total_cost_usd } = JSON.parse(line) as { total_cost_usd: number };
    const [spent] = cli.step(cli.begin(plainJob).state, line).events;
    return { total: total_cost_usd, counted: spent?.type === 'spent' ? spent.costUsd : undefined };
  });
  const [resumed, forked] = costs;
  expect(resumed?.total).toBeCloseTo((resumed?.counted ?? 0) * 2);
  expect(forked?.total).toBeCloseTo((forked?.counted ?? 0) * 3);
});

it('is found behind the wrapper of its package', () => {
  const native = claudeProgram.native?.('/lib/node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs') ?? [];
  expect(native).toContain('/lib/node_modules/@anthropic-ai/claude-code-linux-x64/claude');
  expect(native).toContain('/lib/node_modules/@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude');
  expect(native.at(-1)).toBe('/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe');
  expect(claudeProgram.native?.('/usr/local/bin/claude')).toEqual([]);
  expect(sdkPlaces('/lib/node_modules/@anthropic-ai/claude-code-linux-x64/claude')).toEqual([
    '/lib/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs',
  ]);
});
