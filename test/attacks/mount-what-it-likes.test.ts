import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { boxed, boxHouse, exporting, surroundings } from '../support/box-house.ts';

/** Everything that once decided what is mounted next, and everything like it. */
const PLANT = `
  mkdir -p .git/fake/objects/info .git/fake/refs .git/objects/info
  ln -s "$REAL_FLEET" .git/fake/worktrees
  ln -s "$REAL_HOME/.ssh" .git/worktrees
  echo "$REAL_HOME/.ssh" > .git/fake/objects/info/alternates
  echo "$REAL_HOME/.ssh" >> .git/objects/info/alternates
  echo fake > .git/commondir
  echo "$REAL_FLEET" > .git/gitdir
  for name in config hooks info modules; do rm -rf ".git/$name"; ln -s "$REAL_FLEET" ".git/$name"; done
  for name in .claude .codex .mcp.json .vscode .husky node_modules; do rm -rf "$name"; ln -s "$REAL_HOME/.ssh" "$name"; done
  rm -rf ~/.config ~/.local ~/.gitconfig; ln -s "$REAL_FLEET" ~/.config; ln -s "$REAL_HOME/.ssh" ~/.local; ln -s "$REAL_FLEET/secret" ~/.gitconfig
  rm -rf "$FLEET_ARTIFACT_DIR"/*; ln -s "$REAL_FLEET" "$FLEET_ARTIFACT_DIR/more"`;

const LOOK = `
  for path in "$REAL_FLEET/admin.token" "$REAL_FLEET/secret" "$REAL_HOME/.ssh/id_canary" .git/worktrees/id_canary \\
    .git/fake/worktrees/admin.token .claude/id_canary node_modules/id_canary ~/.config/admin.token ~/.local/id_canary "$FLEET_ARTIFACT_DIR/more/secret"
  do [ -s "$path" ] && echo "escaped $path"; done
  while read -r _ _ _ from at flags _; do echo "mount $at $from $(echo "$flags" | cut -c1-2)"; done < /proc/self/mountinfo | sed "s/run_[0-9a-z]*/RUN/g" | sort`;

const mountsOf = (said: string) => said.split('\n').filter((line) => line.startsWith('mount '));

describe('a sandboxed agent that wants a directory of the machine mounted at its next start', () => {
  boxed(
    'finds the same mounts whatever it left in its tree, its git directory, its home and its notes [RUN-16] [T12]',
    async () => {
      await using house = await boxHouse();
      const around = await surroundings(house);
      try {
        await house.up();
        const script = `${exporting(around.variables)}if [ ! -e ~/planted ]; then ${LOOK}\n${PLANT}\ntouch ~/planted; echo planted; exit 0; fi\n${LOOK}\nexit 0`;
        const words = [
          'task',
          'create',
          '--project',
          'shop',
          '--sandbox',
          '--integration',
          'review',
          '--json',
          '--prompt',
          script,
        ];
        const { id } = (await house.ok(words)).json<{ id: string }>();
        const agents = async () =>
          (await house.runs(id)).filter(({ kind, phase }) => kind === 'agent' && phase.state === 'ended');
        await house.settled([id], 120_000);
        await house.ok(['task', 'reject', id, 'look again']);
        await vi.waitFor(async () => expect((await agents()).length).toBeGreaterThan(1), 120_000);
        const runs = await agents();
        const said = await Promise.all(runs.map(async (run) => (await house.ok(['run', 'log', run.id])).out));
        expect(said[0]).toContain('planted');
        const [first = [], ...later] = said.map(mountsOf);
        expect(first.length).toBeGreaterThan(10);
        expect(said.join('\n')).not.toMatch(/^escaped/m);
        for (const mounts of later) expect(mounts).toEqual(first);
        // Of the project's own git directory nothing is there.
        expect(first.filter((line) => line.includes(around.variables.COMMON_GIT))).toEqual([]);
      } finally {
        await around.end();
      }
    },
  );

  boxed('leads no mount elsewhere from a directory that it may write besides [RUN-16] [T12]', async () => {
    await using house = await boxHouse(['sandbox_write=~/cache']);
    const around = await surroundings(house);
    try {
      await mkdir(join(around.variables.REAL_HOME, 'cache', 'tool'), { recursive: true });
      await writeFile(join(around.variables.REAL_HOME, 'cache', 'tool', 'id_canary'), 'shown\n');
      await house.up();
      const set = exporting(around.variables);
      const plants = await house.create(
        `${set}cat ~/cache/tool/id_canary; rm -rf ~/cache/tool; ln -s "$REAL_HOME/.ssh" ~/cache/tool; exit 0`,
        '--sandbox',
      );
      await house.settled([plants]);
      expect(await house.said(plants)).toBe('shown\n');
      // Named by its person once it looked harmless.
      await house.ok(['config', 'set', 'sandbox_read=~/cache/tool']);
      const looks = await house.create(`${set}cat ~/cache/tool/id_canary "$REAL_HOME/.ssh/id_canary"; exit 0`, '--sandbox');
      await house.settled([looks]);
      const [run] = await house.runs(looks);
      expect(run?.phase).toMatchObject({
        outcome: 'refused',
        detail: expect.stringContaining('is a link, in a place where an agent'),
      });
    } finally {
      await around.end();
    }
  });
});
