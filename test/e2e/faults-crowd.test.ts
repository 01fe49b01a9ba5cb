import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { faultHouse } from '../fixtures/fault-house.ts';
import { inFullRun } from '../full-only.ts';

const LIMIT = 100;
const BOMBS = inFullRun ? 4 : 1;
const SIBLINGS = inFullRun ? 20 : 4;

/** Up to 255 processes, each in a session of its own, deaf to TERM, and whoever dies is raised again while the fuse is there. */
const BOMB = `cat > bomb.sh <<'END'
trap '' TERM
for side in 1 2; do
  [ "$1" -lt 6 ] && while [ -e "$2" ]; do setsid sh bomb.sh $(($1 + 1)) "$2" || :; done &
done
wait
[ "$1" -lt 6 ] || exec sleep 600
END
sh bomb.sh 0 "$PWD/../fuse"
exit 0`;

describe('an agent that forks without end', () => {
  it('is ended whole and says why; its siblings, and who has many children by right, notice nothing [R22]', async () => {
    await using house = await faultHouse([`max_processes=${LIMIT}`, 'max_attempts=3', 'grace_seconds=60', 'stall_seconds=600']);
    const fuse = join(house.directory, 'fuse');
    await writeFile(fuse, '');
    try {
      const engine = await house.up();
      const working = 'n=0\nwhile [ $n -lt 100 ]; do n=$((n + 1)); sh -c "echo $n"; sleep 0.05; done\nexit 0';
      const many = 'n=0\nwhile [ $n -lt 60 ]; do n=$((n + 1)); sleep 5 & done\nwait\nexit 0';
      const siblings = await house.queue([
        ...Array.from({ length: SIBLINGS }, (_, n) => ({ title: `sibling${n}`, script: working })),
        { title: 'many', script: many },
      ]);
      const bombs = await house.queue(Array.from({ length: BOMBS }, (_, n) => ({ title: `bomb${n}`, script: BOMB })));
      await house.settled(bombs.values(), 40_000);
      for (const id of bombs.values()) {
        const runs = await house.runs(id);
        // What would be the same again is not tried again, and no grace is given to what goes on in it.
        expect(runs.map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
        expect(runs[0]?.phase.detail).toMatch(new RegExp(`^it had \\d{3} processes at once, max_processes allows ${LIMIT}$`));
        expect((await house.task(id)).phase.reason).toContain('over_budget');
      }
      await house.settled(siblings.values(), 60_000);
      for (const id of siblings.values()) expect(await house.outcomes(id)).toEqual(['succeeded']);
      expect(await house.said(siblings.get('sibling0') ?? '')).toBe(Array.from({ length: 100 }, (_, n) => `${n + 1}\n`).join(''));
      await vi.waitFor(() => expect(house.marked()).toEqual([]), 5_000);
      expect(engine.log()).not.toContain('stuck');
    } finally {
      await rm(fuse);
    }
  });
});
