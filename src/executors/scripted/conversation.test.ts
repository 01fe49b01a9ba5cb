import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConversation } from './conversation.ts';

let runs = '';
beforeAll(() => {
  runs = mkdtempSync(join(tmpdir(), 'conversation-'));
});
afterAll(() => rmSync(runs, { recursive: true, force: true }));

const open = (run: string, more: { resume?: string; isFork?: boolean } = {}) => {
  mkdirSync(join(runs, run), { recursive: true });
  return openConversation({ run, promptFile: join(runs, run, 'prompt.txt'), isFork: false, ...more });
};
const fileOf = (run: string) => readFileSync(join(runs, run, 'conversation.jsonl'), 'utf8');

describe('a conversation', () => {
  it('is resumed under its own name, and copied under another', () => {
    const first = open('run_1');
    first.add('one');
    const resumed = open('run_2', { resume: first.session });
    expect([resumed.session, resumed.before]).toEqual(['scripted-run_1', ['one']]);
    resumed.add('two');
    const before = fileOf('run_1');
    const copy = open('run_3', { resume: first.session, isFork: true });
    expect([copy.session, copy.before]).toEqual(['scripted-run_3', ['one', 'two']]);
    copy.add('three');
    // Resuming the copy continues the copy.
    expect(open('run_4', { resume: copy.session }).before).toEqual(['one', 'two', 'three']);
    expect(fileOf('run_1')).toBe(before);
  });

  it('that is gone, or has an invalid name, is started anew', () => {
    for (const resume of ['scripted-run_gone', '../../etc', 'scripted-../x'])
      for (const isFork of [false, true]) expect(open('run_5', { resume, isFork }).before).toEqual([]);
  });
});
