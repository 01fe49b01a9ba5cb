import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { boxed, boxHouse } from '../support/box-house.ts';

describe('an agent in a plain directory that wants to change a file elsewhere by a second name of it', () => {
  boxed('is not started where there is such a name, as package managers make them [RUN-16] [WORK-03] [T11]', async () => {
    await using house = await boxHouse();
    const [store, packages] = [join(house.directory, 'store'), join(house.work, 'app', 'node_modules')];
    await mkdir(packages, { recursive: true });
    await writeFile(store, 'content\n');
    await link(store, join(packages, 'odd\nname'));
    await house.up();
    const id = await house.create('echo EVIL >> app/node_modules/*; touch ran; exit 0', '--sandbox');
    await house.settled([id]);
    const [run] = await house.runs(id);
    expect(run?.phase).toMatchObject({
      outcome: 'refused',
      detail: expect.stringMatching(/is a hard link.*another name outside of/),
    });
    expect(await readFile(store, 'utf8')).toBe('content\n');
    await expect(readFile(join(house.work, 'ran'))).rejects.toThrow('ENOENT');
  });

  boxed(
    'works where names lead nowhere but to the directory itself, and makes none that lead elsewhere [RUN-16] [T11]',
    async () => {
      await using house = await boxHouse();
      await writeFile(join(house.work, 'one'), 'content\n');
      await link(join(house.work, 'one'), join(house.work, 'two'));
      await symlink('/etc/hostname', join(house.work, 'link'));
      await house.up();
      const script =
        'echo more >> one; cat two; ln one ~/three && echo linked; ln one "$FLEET_RUN_DIR/four" && echo linked; ln link /etc/passwd; exit 0';
      const id = await house.create(script, '--sandbox');
      await house.settled([id]);
      expect(await house.outcomes(id)).toEqual(['succeeded']);
      expect(await house.said(id)).toBe('content\nmore\n');
    },
  );
});
