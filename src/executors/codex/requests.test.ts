import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../domain/agent/tools.ts';
import { plainJob } from '../kit/jobs.ts';
import { executor, item, line, type PlayedCodex, read, says, told, turnEnded, working } from './play-support.ts';

describe('a request of codex', () => {
  const asks = (method: string, params: object, id: unknown = 0): string => line({ id, method, params });
  const command = (text: string): string => asks('item/commandExecution/requestApproval', { kind: 'command', command: text });
  const answerTo = (played: PlayedCodex, text: string): unknown => read(played, [text]).sent.at(-1);
  const shell = (script: string): string => command(`/bin/bash -lc '${script}'`);

  it.each([
    ['git log --oneline', true],
    ['git diff HEAD~1 -- a.ts', true],
    ['cat README | head -20', true],
    ['ls -la src && wc -l a.ts', true],
    ['rg -n hello src', true],
    ['sed -n 1,80p src/a.ts', true],
    ['pwd', true],
    ['git push origin main', false],
    ['git commit -m x', false],
    ['git log --output=a.txt', false],
    ['echo x > a.txt', false],
    ['cat a > b', false],
    ['cat a | tee b', false],
    ['rm -rf .', false],
    ['find . -delete', false],
    ['find *', false],
    ['rg --pre sh x', false],
    ['rg "--pre=sh" x', false],
    ['rg -nz x', false],
    ['sed -n 1,2w a.txt', false],
    ['sed -i s/a/b/ a.txt', false],
    ['ls & rm a', false],
    ['cat $(rm a)', false],
    ['cat a; rm a', false],
    ['python3 -c 1', false],
    ['', false],
  ])('to run %j under review is allowed: %s [EXEC-06]', (script, isAllowed) => {
    const decision = isAllowed ? 'accept' : 'decline';
    expect(answerTo(working({ tools: PRESETS.review }), shell(script))).toEqual({ id: 0, result: { decision } });
  });

  it.each(['rm a', '/bin/bash -lc', "/bin/bash -lc 'ls' x", "/usr/bin/env bash -lc 'ls'", "bash -lc 'ls", "bash -x -c 'ls'"])(
    'is declined if it is no plain shell command: %j',
    (text) => {
      expect(answerTo(working({ tools: PRESETS.review }), command(text))).toMatchObject({ result: { decision: 'decline' } });
    },
  );

  it('to type into a command or to reach the network is declined under a restriction', () => {
    const ls = { command: "/bin/bash -lc 'ls'" };
    const played = working({ tools: PRESETS.review });
    for (const params of [
      { ...ls, kind: 'writeStdin' },
      { ...ls, kind: 'command', networkApprovalContext: { host: 'a' } },
    ])
      expect(answerTo(played, asks('item/commandExecution/requestApproval', params))).toMatchObject({
        result: { decision: 'decline' },
      });
    expect(answerTo(played, asks('item/permissions/requestApproval', {}))).toEqual({
      id: 0,
      result: { permissions: {}, scope: 'turn' },
    });
  });

  it('to change files is accepted only inside the workspace, for an agent that may write [EXEC-06]', () => {
    const patch = (path: string, move_path?: string) =>
      item('started', 'turn-1', { type: 'fileChange', id: 'p', changes: [{ path, kind: { type: 'update', move_path } }] });
    const ask = asks('item/fileChange/requestApproval', { itemId: 'p' });
    const decided = (tools: readonly string[], ...lines: string[]) =>
      (read(working({ tools }), [...lines, ask]).sent.at(-1) as { result?: { decision: string } }).result?.decision;
    const inside = `${plainJob.workDirectory}/a.txt`;
    expect(decided(PRESETS.test, patch(inside))).toBe('accept');
    expect(decided(PRESETS.review, patch(inside))).toBe('decline');
    expect(decided(PRESETS.test)).toBe('decline');
    for (const path of ['/etc/passwd', `${plainJob.workDirectory}/../a.txt`, `${plainJob.workDirectory}-too/a.txt`, ''])
      expect(decided(PRESETS.test, patch(path)), path).toBe('decline');
    expect(decided(PRESETS.test, patch(inside, '/elsewhere'))).toBe('decline');
  });

  it('without a restriction goes to a person, and is answered once', () => {
    const played = read(working(), [shell('rm a')]);
    expect(played.events.at(-1)).toEqual({
      type: 'asked',
      request: 'run_1.0',
      kind: 'permission',
      text: 'Run `rm a`?',
      options: ['allow', 'deny'],
    });
    for (const [text, decision] of [
      ['allow', 'accept'],
      ['deny', 'decline'],
      ['well…', 'decline'],
    ] as const)
      expect(executor.answer(played.state, 'run_1.0', text)?.send).toEqual([line({ id: 0, result: { decision } })]);
    const resolved = read(played, [told('serverRequest/resolved', { requestId: 0 })]);
    expect(executor.answer(resolved.state, 'run_1.0', 'allow')).toBeUndefined();
  });

  it('that is a question is asked with its options', () => {
    const question = { id: 'colour', question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] };
    const played = read(working({ tools: PRESETS.review }), [
      asks('item/tool/requestUserInput', { questions: [question] }, 'q-1'),
    ]);
    expect(played.events.at(-1)).toMatchObject({ kind: 'question', text: 'Which colour?', options: ['red', 'blue'] });
    expect(executor.answer(played.state, 'run_1."q-1"', 'blue')?.send).toEqual([
      line({ id: 'q-1', result: { answers: { colour: { answers: ['blue'] } } } }),
    ]);
  });

  it('always gets an answer', () => {
    const isError = { id: 3, error: { code: -32_601 } };
    expect(answerTo(working(), asks('item/tool/call', {}, 3))).toMatchObject(isError);
    expect(answerTo(working(), asks('never/heard/of', {}, 3))).toMatchObject(isError);
    expect(answerTo(working(), asks('mcpServer/elicitation/request', { serverName: 'other' }, 3))).toMatchObject({
      result: { action: 'decline' },
    });
    const over = read(working(), [says('turn-1', 'done'), turnEnded('turn-1')]);
    expect(answerTo(over, shell('ls'))).toMatchObject({ error: { code: -32_601 } });
  });
});
