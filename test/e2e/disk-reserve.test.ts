import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, isThere } from '../fixtures/fault-house.ts';
import { NO_SMALL_DISK, smallDisk } from '../support/small-disk.ts';

async function healthOf(house: FaultHouse): Promise<{ readonly code: number; readonly reasons: readonly string[] }> {
  const { url } = JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')) as { url: string };
  const answer = await fetch(`${url}/health`);
  return { code: answer.status, reasons: ((await answer.json()) as { reasons: string[] }).reasons };
}

const healthIs = (house: FaultHouse, reasons: readonly string[]) =>
  vi.waitFor(async () => expect(await healthOf(house)).toEqual({ code: 200, reasons }), 40_000);

describe('a disk with less room than its reserve', () => {
  it('starts nothing new, tells everybody, and goes on by itself when there is room again [R18]', async ({ skip }) => {
    using disk = smallDisk('96m') ?? skip(NO_SMALL_DISK);
    await using house = await faultHouse(['disk_reserve_mb=32'], join(disk.directory, 'fleet home'));
    const engine = await house.up();
    const before = await house.queue([
      { title: 'agent', script: 'touch ../begun\nuntil [ -e ../go ]; do sleep 0.2; done\nexit 0' },
    ]);
    await vi.waitFor(() => readFile(join(house.directory, 'begun')), 20_000);
    await healthIs(house, []);
    disk.fill(16 * 1_024);
    await healthIs(house, ['disk_low']);
    const later = [...(await house.queue([{ title: 'later', script: 'exit 0' }])).values()];
    const why = /disk_full: 1\d MB free on the disk of .*fleet home, new runs wait until 32 MB are free: .*disk_reserve_mb/;
    const shown = (await house.ok(['task', 'show', later[0] ?? '', '--json'])).json<{ heldUp?: string }>();
    expect(shown.heldUp).toMatch(why);
    const waited = await house.fleet(['task', 'wait', later[0] ?? '', '--timeout', '1', '--json']);
    expect(waited.json()).toMatchObject({ pending: 1, stuck: 0, items: [{ heldUp: expect.stringMatching(why) }] });
    const status = (await house.ok(['status', '--json'])).json<{ problems: string[] }>();
    expect(status.problems).toEqual([expect.stringMatching(why)]);
    const doctor = (await house.fleet(['doctor', '--json'])).json<{ items: { name: string }[] }>();
    expect(doctor.items.find(({ name }) => name === 'disk')).toMatchObject({
      state: 'broken',
      detail: expect.stringMatching(why),
    });
    // Whoever is at work goes on, and how it ends is kept.
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(before.values());
    expect(await house.outcomes(before.get('agent') ?? '')).toEqual(['succeeded']);
    expect(await house.runs(later[0])).toEqual([]);
    disk.free();
    await house.settled(later);
    expect(await house.outcomes(later[0] ?? '')).toEqual(['succeeded']);
    await healthIs(house, []);
    expect(isThere(engine.pid)).toBe(true);
  });

  it('that is filled by an agent fails its run as disk_full, and the task is tried again [R18]', async ({ skip }) => {
    await using house = await faultHouse(['max_attempts=2']);
    const runs = join(house.home, 'runs');
    await mkdir(runs, { mode: 0o700 });
    using disk = smallDisk('16m', runs) ?? skip(NO_SMALL_DISK);
    const engine = await house.up();
    const script =
      '[ -e ../once ] && exit 0\ntouch ../once\nuntil [ -e ../go ]; do sleep 0.2; done\nyes | head -c 9000000\nexit 1';
    const [id = ''] = (await house.queue([{ title: 'much', script }])).values();
    await vi.waitFor(() => readFile(join(house.directory, 'once')), 20_000);
    disk.fill(1_024);
    await writeFile(join(house.directory, 'go'), '');
    // What it prints finds no room, and neither does its exit code.
    await vi.waitFor(async () => expect((await house.ok(['status'])).out).toContain('disk_full: 0 KB free'), 40_000);
    await house.ok(['task', 'create', '--draft', '--directory', house.work, '--prompt', 'accepted']);
    disk.free();
    await house.settled([id]);
    expect(await house.outcomes(id)).toEqual(['crashed', 'succeeded']);
    expect((await house.runs(id))[0]?.phase.detail).toMatch(/^disk_full: the disk of .*runs was full while it ran; /);
    expect((await house.task(id)).phase.state).toBe('done');
    expect(isThere(engine.pid)).toBe(true);
  });
});
