import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { onMain } from '../../support/work-house.ts';
import { type ClaudeHouse, claudeHouse } from './claude-house.ts';
import { commit, engines, inPlace, write } from './claude-table.ts';

describe.each(engines)('the real Claude Code by its $engine', ({ programs, short }) => {
  let house: ClaudeHouse;
  beforeAll(async () => {
    if (programs.claude === '') return;
    house = await claudeHouse(programs);
    await mkdir(join(house.home, 'executors'), { recursive: true });
    const answer = JSON.stringify({ status: 'done', summary: 'roses are worn out', open: ['another flower'] });
    const command = ['/bin/sh', '-c', `printf %s '${answer}' > "$1"`, 'critic', '{result_file}'];
    await writeFile(join(house.home, 'executors', 'critic.toml'), `command = ${JSON.stringify(command)}\n`);
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());

  short('writes, is reviewed by another program, and refines with what that found; whoever comes after is told', async () => {
    const roses = [write('poem.txt', 'roses\n'), commit, { say: 'a poem of roses' }];
    const violets = [
      { call: 'Bash', with: { command: 'echo violets > poem.txt && git commit -qam again' } },
      { say: 'a poem of violets' },
    ];
    const { id, stage } = await house.work([...roses, ...violets], '--integration', 'review');
    const first = await house.rest(id);
    expect(first.phase.block?.cause).toBe('review');
    const review = (await house.ok(['task', 'review', id, '--executor', 'critic', '--json'])).json<{ id: string }>().id;
    expect((await house.rest(review)).phase.state).toBe('done');
    const before = stage.asked.length;
    await house.ok(['task', 'reject', id, 'do as the review says']);
    await house.sees(id, ({ phase, work }) => phase.state === 'blocked' && work?.tip !== first.work?.tip);
    expect(stage.asked[before]).toContain('> roses are worn out');
    expect(stage.asked[before]).toContain('> open: another flower');
    await house.ok(['task', 'approve', id]);
    expect((await house.rest(id)).phase.state).toBe('done');
    expect(await onMain(house, 'poem.txt')).toBe('violets');
    const next = await house.work([{ say: 'read' }], ...inPlace, '--after', id);
    expect((await house.rest(next.id)).phase.state).toBe('done');
    expect(next.stage.asked[0]).toContain('> a poem of violets');
    expect(next.stage.asked[0]).toContain(first.work?.branch);
  });
});
