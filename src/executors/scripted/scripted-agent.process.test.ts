import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../../../test/support/bundle.ts';
import { promptFor } from '../../domain/run/prompt.ts';
import type { TaskId } from '../../domain/values.ts';
import type { AgentEvent } from '../executor.ts';

let program = '';
let place = '';
beforeAll(() => {
  program = bundled('src/executors/scripted/scripted-agent.ts');
  place = mkdtempSync(join(tmpdir(), 'scripted-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Played {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: Buffer;
  readonly err: string;
  readonly events: readonly AgentEvent[];
}

function start(prompt: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const file = join(mkdtempSync(join(place, 'run-')), 'prompt.md');
  writeFileSync(file, prompt);
  const child = spawn(process.execPath, [program, file, '--run', 'run_1', ...args], {
    cwd: place,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = finish(child);
  return { child, ended, tell: (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`) };
}

async function finish(child: ChildProcess): Promise<Played> {
  const out: Buffer[] = [];
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on('close', (...end) => resolve(end)),
  );
  const bytes = Buffer.concat(out);
  return { code, signal, out: bytes, err, events: eventsIn(bytes.toString()) };
}

const onLine = (child: ChildProcess, take: (line: string) => void): void => {
  if (child.stdout) createInterface(child.stdout).on('line', take);
};

const eventsIn = (text: string): AgentEvent[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{"type"') ? [JSON.parse(line) as AgentEvent] : []));

const play = (prompt: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Played> =>
  start(prompt, args, env).ended;
const texts = ({ events }: Played): string[] => events.flatMap((event) => (event.type === 'said' ? [event.text] : []));

describe('the scripted agent', () => {
  it('echoes a prompt without a scenario, and reports', async () => {
    const result = join(place, 'echo.json');
    const { code, events } = await play('Please make it so', ['--result', result]);
    expect(code).toBe(0);
    expect(events).toEqual([
      { type: 'opened', session: 'scripted-run_1' },
      { type: 'said', text: 'Please make it so' },
      { type: 'reported', report: { status: 'done', summary: 'said the prompt back' } },
      { type: 'ended', verdict: 'succeeded', summary: 'said the prompt back' },
    ]);
    expect(JSON.parse(readFileSync(result, 'utf8'))).toEqual({ status: 'done', summary: 'said the prompt back' });
  });

  it('edits, runs and commits, and ends when a step fails', async () => {
    const played = await play(
      [
        'sh git init -q',
        'edit a/b.txt <<E\none',
        'two\nE',
        'commit add b',
        'commit again',
        'try run no-such-program',
        'run false',
        'say never',
      ].join('\n'),
    );
    expect(readFileSync(join(place, 'a/b.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(texts(played)).toEqual([
      'committed',
      'nothing to commit',
      'no-such-program did not start: no program of that name can be run',
      'false ended with 1',
    ]);
    expect(played.code).toBe(1);
    expect(played.events.at(-1)).toEqual({ type: 'ended', verdict: 'errored', summary: 'line 9: false ended with 1' });
  });

  it('can crash in one attempt and succeed in the next', async () => {
    const prompt = 'mark ledger\nattempt 1: crash 7\nattempt 2+: done at last';
    const first = await play(prompt, [], { FLEET_ATTEMPT: '1' });
    expect(first).toMatchObject({ code: 7, err: 'scripted: crashed with 7, as the scenario says\n' });
    expect(await play(prompt, [], { FLEET_ATTEMPT: '2' })).toMatchObject({ code: 0 });
    expect(readFileSync(join(place, 'ledger'), 'utf8')).toMatch(/^run_1 \d+ 1\nrun_1 \d+ 2\n$/);
  });

  it('plays other steps if its prompt has new messages', async () => {
    const steps = '```scenario\nuntold: say 41\ntold: say 42\ndone\n```\n';
    const briefed = promptFor({
      task: {
        id: 'task_1' as TaskId,
        title: 'x',
        expectsChanges: true,
        messages: [{ n: 1, at: '2030-01-31T12:00:00.000Z', by: 'fleet', text: 'the gate says no', state: 'waiting' }],
      },
      prompt: steps,
      attempt: 1,
      notesDirectory: '/notes',
      resultFile: '/result.json',
    });
    expect(texts(await play(steps))).toEqual(['41']);
    expect(texts(await play(briefed))).toEqual(['42']);
  });

  it('exits, dies by a signal, or ends with a verdict', async () => {
    const [exited, killed, refused] = await Promise.all([play('exit 3'), play('signal KILL'), play('end refused not that')]);
    expect([exited.code, exited.events.length]).toEqual([3, 1]);
    expect(killed.signal).toBe('SIGKILL');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.events.at(-1)).toEqual({ type: 'ended', verdict: 'refused', summary: 'not that' });
  });

  it('ignores TERM if the scenario says so, and dies of it otherwise', async () => {
    const [deaf, mortal] = [start('ignore TERM\nsay ready\nsleep 300\nsay alive'), start('say ready\nhang')];
    for (const { child } of [deaf, mortal]) onLine(child, (line) => line.includes('ready') && child.kill());
    expect(texts(await deaf.ended)).toEqual(['ready', 'alive']);
    expect((await mortal.ended).signal).toBe('SIGTERM');
  });

  it('floods with exact sizes', async () => {
    const [flood, line, binary] = await Promise.all([
      play('flood 100KB\nexit'),
      play('line 1MB\nexit'),
      play('binary 5000\nexit'),
    ]);
    const opened = Buffer.byteLength('{"type":"opened","session":"scripted-run_1"}\n');
    expect(flood.out.length - opened).toBe(100 * 1024);
    expect(texts(flood).map((text) => Number(text.split(' ')[1]))).toEqual(Array.from({ length: 102 }, (_, index) => index + 1));
    expect(line.out.length - opened).toBe(1024 ** 2);
    expect(texts(line)).toHaveLength(1);
    expect(binary.out.length - opened).toBe(5001);
    expect(binary.out.includes(0)).toBe(true);
  });

  it('leaves a daemon in another session behind', async () => {
    const [said = ''] = texts(await play('daemonise 60000', [], { MARKER_OF_TEST: 'x1' }));
    const pid = Number(said.replace('daemon ', ''));
    try {
      if (process.platform === 'linux') {
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('MARKER_OF_TEST=x1');
        expect(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[5]).not.toBe(
          readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(' ')[5],
        );
      }
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('refuses an invalid scenario before it plays any step', async () => {
    const played = await play('mark never\nsya hello');
    expect(played).toMatchObject({ code: 2, err: 'scripted: line 2: no step is called "sya"; did you mean say?\n', events: [] });
    expect(existsSync(join(place, 'never'))).toBe(false);
    expect(await play('scenario: nowhere.txt')).toMatchObject({ code: 2 });
    writeFileSync(join(place, 'two.txt'), 'twoway\nlisten');
    expect((await play('scenario: two.txt', ['--mode', 'oneway'])).err).toContain('put `twoway` on its first line');
  });
});

describe('the two-way scripted agent', () => {
  it('waits for the start, hears messages and waits for answers', async () => {
    const agent = start('twoway\nask Which? | a | b\nlisten 2\nlinger\ndone ok', ['--mode', 'twoway']);
    agent.tell({ type: 'message', n: 1, text: 'early' });
    agent.tell({ type: 'start' });
    onLine(agent.child, (line) => {
      if (line.includes('"asked"')) {
        agent.tell({ type: 'answer', request: 'run_1.9', text: 'stray' });
        agent.tell({ type: 'answer', request: 'run_1.1', text: 'a' });
      } else if (line.includes('answer: a')) {
        agent.tell({ type: 'answer', request: 'run_1.1', text: 'b' });
        agent.child.stdin.end(`${JSON.stringify({ type: 'message', n: 2, text: 'late' })}\n`);
      }
    });
    const played = await agent.ended;
    expect(played.code).toBe(0);
    expect(texts(played)).toEqual([
      'message 1: early',
      'unexpected answer to run_1.9',
      'answer: a',
      'unexpected answer to run_1.1',
      'message 2: late',
    ]);
    expect(played.events.filter(({ type }) => type === 'heard')).toEqual([
      { type: 'heard', n: 1 },
      { type: 'heard', n: 2 },
    ]);
  });

  it('ends with an error if its input ends too early', async () => {
    const agent = start('twoway\nask Which?', ['--mode', 'twoway']);
    agent.tell({ type: 'start' });
    agent.child.stdin.end();
    const ended = (await agent.ended).events.at(-1);
    expect(ended).toEqual({ type: 'ended', verdict: 'errored', summary: 'line 2: the input ended before an answer' });
  });
});
