import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { fullOnly, inFullRun } from '../full-only.ts';
import { commitIn, landedOn, leftovers, onMain, type WorkHouse, workHouse } from '../support/work-house.ts';

const KILLS = inFullRun ? 10 : 2;

interface Kind {
  readonly many: number;
  /** Whether its work is to be on the target in the end. */
  readonly lands: boolean;
  readonly flags?: readonly string[];
  scenario(n: number): string;
}

/** Appends its number to a file everybody appends to; told of a conflict, it keeps what both sides wrote. */
const quarrel = (n: number) =>
  [
    `sh if test -f mine-${n}; then git merge -q main || { sed -i '/^[<=>]\\{7\\}/d' shared.txt; git add -A; git commit -qm merged; }; else echo ${n} >> shared.txt; touch mine-${n}; git add -A; git commit -qm "say ${n}"; fi`,
    `done ${n}`,
  ].join('\n');

const KINDS: Readonly<Record<string, Kind>> = {
  commits: { many: inFullRun ? 10 : 2, lands: true, scenario: (n) => `edit work-${n}.txt ${n}\ncommit work ${n}\ndone ${n}` },
  leaves: { many: inFullRun ? 5 : 1, lands: true, scenario: (n) => `edit work-${n}.txt ${n}\ndone ${n}` },
  stumbles: {
    many: inFullRun ? 3 : 1,
    lands: true,
    flags: ['--max-attempts', '3'],
    scenario: (n) => `attempt 1: edit work-${n}.txt ${n}\nattempt 1: crash 3\nattempt 2+: commit work ${n}\ndone ${n}`,
  },
  quarrels: { many: inFullRun ? 5 : 2, lands: true, scenario: quarrel },
  dies: {
    many: inFullRun ? 3 : 1,
    lands: false,
    flags: ['--max-attempts', '1'],
    scenario: (n) => `edit work-${n}.txt ${n}\nsleep 200\ncrash 3`,
  },
  // What it changes was changed on the target before it began: it can never be put together.
  insists: {
    many: 1,
    lands: false,
    flags: ['--base-ref', 'past'],
    scenario: (n) => `sh echo ${n} > README; echo ${n} > work-${n}.txt; date +%N > when\ncommit insist\ndone ${n}`,
  },
  surrenders: {
    many: 1,
    lands: false,
    flags: ['--base-ref', 'past'],
    scenario: (n) =>
      [
        `sh echo ${n} > README; echo ${n} > work-${n}.txt; git add -A; git diff --cached --quiet && exit 1; git commit -qm once`,
        `done ${n}`,
      ].join('\n'),
  },
  breaks: {
    many: inFullRun ? 2 : 1,
    lands: false,
    scenario: (n) => `edit bad.txt ${n}\nedit work-${n}.txt ${n}\ncommit bad\ndone ${n}`,
  },
};

const list = Object.entries(KINDS).flatMap(([name, kind]) => Array.from({ length: kind.many }, () => ({ name, kind })));

async function createAll(house: WorkHouse): Promise<Map<string, { readonly n: number; readonly kind: Kind }>> {
  const made = new Map<string, { readonly n: number; readonly kind: Kind }>();
  // In an order that is different every time.
  const mixed = list.map((one, n) => ({ ...one, n })).toSorted(() => Math.random() - 0.5);
  for (let from = 0; from < mixed.length; from += 4)
    await Promise.all(
      mixed.slice(from, from + 4).map(async ({ name, kind, n }) => {
        const id = await house.create(kind.scenario(n), '--title', `${name} ${n}`, ...(kind.flags ?? []));
        made.set(id, { n, kind });
      }),
    );
  return made;
}

describe(`${list.length} tasks at once in one repository, while the engine is killed ${KILLS} times`, () => {
  fullOnly('land exactly what is verified, each once, and nothing of the others is lost [R30] [R32] [WORK-12]', async () => {
    await using house = await workHouse(['--verify', 'test ! -e bad.txt && ! grep -rq "^<<<<<<<" .'], {
      engine: false,
      settings: [
        'max_concurrent=30',
        inFullRun ? 'max_repairs=6' : 'max_repairs=3',
        'max_gates=3',
        'grace_seconds=1',
        'workspace_pool=2',
      ],
    });
    await house.git(house.repo, 'branch', 'past');
    await commitIn(house, { README: 'changed since\n', '.gitattributes': '* -text\n' });
    // Somebody's own worktree, in their way of working.
    const own = join(house.directory, 'own worktree');
    await house.git(house.repo, 'worktree', 'add', '-q', '-b', 'own', own);
    await writeFile(join(own, 'draft'), 'not yet\n');
    const made = await createAll(house);

    for (let kill = 0; kill < KILLS; kill += 1) {
      const engine = await house.up();
      await passed(300 + Math.random() * (inFullRun ? 8_000 : 4_000));
      await engine.kill('SIGKILL');
      // The user goes on working in between.
      if (kill === 1) await commitIn(house, { 'notes.txt': 'mine\n' });
    }
    const last = await house.up();
    const tasks = await house.rested([...made.keys()], inFullRun ? 500 : 180);

    const wanted = [...made].filter(([, { kind }]) => kind.lands).map(([id]) => id);
    const state = (id: string) => tasks.find((task) => task.id === id);
    const wrong = [...made].filter(([id, { kind }]) => (state(id)?.phase.state === 'done') !== kind.lands);
    expect(wrong.map(([id]) => [state(id)?.title, state(id)?.phase])).toEqual([]);
    expect((await landedOn(house)).toSorted()).toEqual(wanted.toSorted());
    const numbers = (name: string) => [...made].filter(([id]) => state(id)?.title.startsWith(name)).map(([, { n }]) => n);
    expect(
      (await onMain(house, 'shared.txt'))
        .split('\n')
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(numbers('quarrels').toSorted((a, b) => a - b));
    const files = (await house.says('ls-tree', '--name-only', 'main')).split('\n').filter((name) => name.startsWith('work-'));
    const quiet = [...numbers('commits'), ...numbers('leaves'), ...numbers('stumbles')];
    expect(files.toSorted()).toEqual(quiet.map((n) => `work-${n}.txt`).toSorted());

    // What did not land is where it can be brought back from, what was never committed too.
    for (const [id, { n }] of [...made].filter(([, { kind }]) => !kind.lands)) {
      const ref = state(id)?.work?.kept?.ref ?? `none of ${id}`;
      expect(await house.says('for-each-ref', '--format=%(refname)', 'refs/fleet/kept')).toContain(ref);
      expect(await house.says('show', `${ref}:work-${n}.txt`)).toBe(String(n));
    }
    await vi.waitFor(async () => expect(await leftovers(house)).toEqual([]), { timeout: 60_000, interval: 500 });
    expect((await house.git(own, 'status', '--porcelain')).out).toBe('?? draft\n');
    await last.kill('SIGTERM');
    expect(await readdir(join(house.repo)).then((names) => names.includes('bad.txt'))).toBe(false);
  });
});
