import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type WorkHouse, workHouse } from '../support/work-house.ts';
import { standing } from '../support/work-place.ts';

/** An agent that leaves half its work, and what its helper does once it has ended. */
async function agent(house: WorkHouse, late: string): Promise<string> {
  const helper = `until [ -e "$FLEET_RUN_DIR/exit" ]; do sleep 0.02; done; ${late}`;
  const script = `echo half > half.txt\n(${helper}) > /dev/null 2>&1 &\necho that is all\nexit 0\n`;
  await mkdir(join(house.home, 'executors'), { recursive: true });
  await writeFile(join(house.home, 'executors', 'leaver.toml'), 'command = ["/bin/sh", "{prompt_file}"]\noutput = "text"\n');
  const made = await house.ok(['task', 'create', '--project', 'shop', '--executor', 'leaver', '--prompt', script, '--json']);
  return made.json<{ id: string }>().id;
}

const isOnMain = async (house: WorkHouse) => (await house.says('ls-tree', '--name-only', 'main')).includes('half.txt');

describe('what an agent leaves behind may speak when its program has ended', () => {
  it('with a report, which is heard before the end counts as a success [WORK-04]', async () => {
    await using house = await workHouse();
    const report = JSON.stringify({ status: 'blocked', summary: 'the colour is unknown' });
    const id = await agent(house, `printf '%s' '${report}' > "$FLEET_RUN_DIR/result.json"`);
    expect(standing(await house.rest(id))).toBe('blocked: agent: the colour is unknown');
    expect(await isOnMain(house)).toBe(false);
  });

  it('with a question, which the task then waits for [WORK-04]', async () => {
    await using house = await workHouse();
    const asks = `printf '\\n## Question\\nWhich colour?\\n' >> "$FLEET_ARTIFACT_DIR/Q&A.md"`;
    const id = await agent(house, asks);
    expect(standing(await house.rest(id))).toBe('blocked: question: it asks: Which colour?');
    expect(await isOnMain(house)).toBe(false);
  });

  it('and is ended when it says nothing: nobody waits for a helper that stays [WORK-04]', async () => {
    await using house = await workHouse();
    const begun = join(house.directory, 'begun');
    const gone = join(house.directory, 'gone');
    const id = await agent(house, `trap 'touch "${gone}"; exit' TERM; touch '${begun}'; while :; do sleep 0.1; done`);
    expect(standing(await house.rest(id))).toBe('done');
    expect([existsSync(begun), await isOnMain(house)]).toEqual([true, true]);
    await vi.waitFor(() => expect(existsSync(gone)).toBe(true), 20_000);
  });
});

describe('a question that an earlier run has left', () => {
  it('is what a person is told when the next run changes nothing, and its answer lets the task go on [WORK-04]', async () => {
    await using house = await workHouse();
    const mark = join(house.directory, 'asked');
    const asks = `test -e '${mark}' || printf '\\n## Question\\nWhich colour?\\n' >> "$FLEET_ARTIFACT_DIR/Q&A.md"; touch '${mark}'`;
    const id = await house.create(`untold: sh ${asks}\ntold: edit colour.txt blue`);
    const asked = 'blocked: question: it asks: Which colour?';
    expect(standing(await house.rest(id))).toBe(asked);
    const left = (await house.show(id)).phase.block as { questionId?: string } | undefined;
    await house.ok(['task', 'retry', id]);
    await vi.waitFor(async () => expect(await house.runs(id)).toHaveLength(2), 60_000);
    expect(standing(await house.rest(id))).toBe(asked);
    expect((await house.runs(id)).map(({ phase }) => phase.outcome)).toContain('succeeded');
    expect((await house.show(id)).phase.block).toMatchObject({ questionId: left?.questionId });
    await house.ok(['question', 'answer', left?.questionId ?? '', 'blue']);
    await house.sees(id, ({ phase }) => phase.state === 'done');
    expect(await house.says('show', 'main:colour.txt')).toBe('blue');
  });
});
