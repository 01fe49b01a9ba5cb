import { describe, expect, it } from 'vitest';
import { type ConversationEntry, conversationOf, type OfferedTool } from './conversation.ts';
import { answerFor, planFor } from './play.ts';
import { parseScenario } from './scenario/parse-scenario.ts';

const tool = (name: string, properties: object, required: string[] = [], namespace?: string): OfferedTool => ({
  name,
  about: '',
  schema: { type: 'object', properties, required },
  namespace,
});
const text = { type: 'string' };

/** The tools of the real programs, as far as the tests need them. */
const AGENTS: Readonly<Record<string, readonly OfferedTool[]>> = {
  claude: [
    tool('Write', { file_path: text, content: text }, ['file_path', 'content']),
    tool('Edit', { file_path: text, old_string: text, new_string: text }),
    tool('Bash', { command: text, timeout: { type: 'number' }, description: text }, ['command']),
    tool('mcp__fleet__submit_report', {}),
  ],
  codex: [tool('exec_command', { cmd: text, workdir: text }, ['cmd']), tool('submit_report', {}, [], 'mcp__fleet')],
  gemini: [
    tool('write_file', { file_path: text, content: text }),
    tool('replace', { instruction: text, file_path: text, old_string: text, new_string: text }, ['instruction', 'file_path']),
    tool('run_shell_command', { command: text }),
    tool('mcp_fleet_submit_report', {}),
  ],
  opencode: [
    tool('write', { filePath: text, content: text }),
    tool('edit', { filePath: text, oldString: text, newString: text }),
    tool('bash', { command: text, description: text }, ['command', 'description']),
    tool('fleet_submit_report', {}),
  ],
  copilot: [
    tool('create', { path: text, file_text: text }),
    tool('edit', { path: text, old_str: text, new_str: text }),
    tool('bash', { command: text }),
    tool('fleet-submit_report', {}),
  ],
  ancient: [tool('shell', { command: { type: 'array', items: text } }, ['command']), tool('mcp__fleet__submit_report', {})],
};

function played(
  scenario: string,
  tools: readonly OfferedTool[],
  { entries = [], source = '' }: { entries?: ConversationEntry[]; source?: string } = {},
) {
  const conversation = conversationOf([{ by: 'person', text: 'Go.' }, ...entries], tools);
  const answer = answerFor(planFor(parseScenario(scenario), conversation, source), conversation, source);
  return answer.parts.map((part) => (part.kind === 'call' ? [part.tool.name, part.arguments] : part.text));
}

describe('the deeds of a scenario', () => {
  it.each(Object.keys(AGENTS))('are done with the tools of %s', (agent) => {
    const tools = AGENTS[agent] ?? [];
    const calls = ['write a.txt hi', 'edit a.txt hi => ho', 'run ls', 'call submit_report {"a":1}'].map(
      (step) => played(step, tools)[0],
    );
    expect(calls).toMatchSnapshot();
  });

  it('use absolute paths if the agent states its work directory', () => {
    const { claude = [], codex = [] } = AGENTS;
    const source = JSON.stringify({ system: 'env:\n - Primary working directory: /home/me/my work\n - Git: no' });
    expect(played('write a.txt hi', claude, { source })).toEqual([
      ['Write', { file_path: '/home/me/my work/a.txt', content: 'hi\n' }],
    ]);
    expect(played('write /etc/a.txt hi', claude, { source })).toEqual([['Write', { file_path: '/etc/a.txt', content: 'hi\n' }]]);
    expect(JSON.stringify(played('write a.txt hi', codex, { source }))).toContain('Add File: a.txt');
  });

  it('look up a tool that is only named once, and keep their place in the scenario', () => {
    const search = tool('ToolSearch', { query: text, max_results: { type: 'number' } });
    const source = 'deferred: mcp__other__submit_report\\nmcp__fleet__submit_report\\n';
    const script = 'say First.\ncall submit_report {}\nsay Done.';
    const query = { query: 'select:mcp__fleet__submit_report', max_results: 5 };
    expect(played(script, [search], { source })).toEqual([['ToolSearch', query]]);
    const entries: ConversationEntry[] = [
      { by: 'model', call: { id: 't1', name: 'ToolSearch' } },
      { by: 'tool', id: 't1', text: 'found mcp__fleet__submit_report' },
    ];
    const found = [search, tool('mcp__fleet__submit_report', {})];
    expect(played(script, found, { source, entries })).toEqual(['First.', ['mcp__fleet__submit_report', {}]]);
    expect(() => played(script, [search], { source, entries })).toThrow('no tool is called submit_report');
  });

  it('are called by another tool where what was looked up stays out of the list', () => {
    const tools = [tool('tool_search', { query: text }), tool('tool_call', { name: text, arguments: {} })];
    const source = 'deferred: mcp__fleet__submit_report\\n';
    const script = 'call submit_report {"a":1}\nsay Done.';
    expect(played(script, tools, { source })).toMatchObject([['tool_search', { query: 'select:mcp__fleet__submit_report' }]]);
    const entries: ConversationEntry[] = [
      { by: 'model', call: { id: 't1', name: 'tool_search' } },
      { by: 'tool', id: 't1', text: '<function>{"name":"mcp__fleet__submit_report"}' },
    ];
    const named = ['tool_call', { name: 'mcp__fleet__submit_report', arguments: { a: 1 } }];
    expect(played(script, tools, { source, entries })).toEqual([named]);
  });

  it('are done by a program where the agent runs programs, with tools that only the program sees', () => {
    const inCode = { name: 'exec', namespace: 'functions' };
    const tools = [{ ...tool('exec_command', { cmd: text }, ['cmd']), inCode }];
    expect(played('run ls', tools)).toEqual([['exec_command', { cmd: 'ls' }]]);
    expect(played('try call other.ask {"a":1}', tools)).toEqual([['other__ask', { a: 1 }]]);
  });

  it('skip a `try call` if there is no such tool', () => {
    const { claude = [] } = AGENTS;
    const script = 'try call ask {}\nrun ls\nsay Done.';
    expect(played(script, claude)).toEqual([['Bash', { command: 'ls' }]]);
    expect(played(script, [...claude, tool('mcp__fleet__ask', {})])).toEqual([['mcp__fleet__ask', {}]]);
    expect(played(script, [tool('ToolSearch', {})], { source: 'mcp__fleet__ask' })).toMatchObject([['ToolSearch', {}]]);
  });

  it('distinguish the tools of two servers', () => {
    const tools = [tool('mcp__a__list', {}), tool('mcp__b__list', {}), tool('mcp__a__only', {})];
    expect(played('call b.list', tools)).toEqual([['mcp__b__list', {}]]);
    expect(played('call only', tools)).toEqual([['mcp__a__only', {}]]);
    expect(() => played('call list', tools)).toThrow('no tool is called list: mcp__a__list, mcp__b__list');
  });

  it('after `repeat` are played over and over', () => {
    const { claude = [] } = AGENTS;
    const rounds = (count: number): ConversationEntry[] =>
      Array.from({ length: count }, (_, at): ConversationEntry[] => [
        { by: 'model', call: { id: `toolu_${at}x00000${at}`, name: 'Bash' } },
        { by: 'tool', id: `toolu_${at}x00000${at}`, text: '' },
      ]).flat();
    const commands = [0, 1, 2, 3, 4].map((count) => played('run a\nrepeat\nrun b\nrun c', claude, { entries: rounds(count) }));
    expect(commands.map(([part]) => part)).toEqual(['a', 'b', 'c', 'b', 'c'].map((command) => ['Bash', { command }]));
  });
});

describe('a conversation', () => {
  it('counts the answers of a turn in any order of calls and results', () => {
    const call = (id: string): ConversationEntry => ({ by: 'model', call: { id, name: 'Bash' } });
    const result = (id: string): ConversationEntry => ({ by: 'tool', id, text: id });
    const person = (said: string): ConversationEntry => ({ by: 'person', text: said });
    const shuffled = [
      person('Go.'),
      call('c_0xa'),
      result('c_0xa'),
      call('c_0xb'),
      result('c_0xb'),
      call('c_1xc'),
      result('c_1xc'),
    ];
    expect(conversationOf(shuffled, []).answers).toBe(2);
    const unnamed = [
      person('Go.'),
      { by: 'model', call: { name: 'x' } } as ConversationEntry,
      { by: 'model', call: { name: 'y' } } as ConversationEntry,
    ];
    expect(conversationOf(unnamed, []).answers).toBe(1);
    expect(conversationOf([...shuffled, person('More.')], [])).toMatchObject({ answers: 0, turn: 1, asked: 'More.' });
  });

  it('ignores reminders that agents insert into messages of a person', () => {
    const reminder = '<system-reminder>\nbe kind\n</system-reminder>';
    const entries: ConversationEntry[] = [
      { by: 'person', text: `${reminder}\nGo.` },
      { by: 'model', call: { id: 'c_0xa', name: 'Bash' } },
      { by: 'tool', id: 'c_0xa', text: 'ok' },
      { by: 'person', text: reminder },
    ];
    expect(conversationOf(entries, [])).toMatchObject({ asked: 'Go.', turn: 0, answers: 1 });
  });
});
