import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boxed, boxHouse, inShop } from '../support/box-house.ts';
import { inBox, scriptIn } from '../support/in-box.ts';

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
/** Only root can give a sandbox to another user. */
const asRoot = (title: string, body: () => Promise<void>): void =>
  isRoot ? boxed(title, body) : it.skip(`${title}; not run: only as root`);
const inBoxAsRoot: typeof inBox = (title, body) => (isRoot ? inBox(title, body) : it.skip(`${title}; not run: only as root`));

describe('an agent that wants the rights of root, where Fleet runs as root', () => {
  inBoxAsRoot('is another user with no capability left, and none to be had [RUN-16] [T17]', async (box) => {
    await chmod(box.directory, 0o700);
    await writeFile(join(box.directory, 'mine'), 'was made by Fleet\n', { mode: 0o600 });
    const script = `
      id -u; id -g; id -G; grep -E '^(Uid|Gid|Cap...|NoNewPrivs):' /proc/self/status | tr '\\t' ' '
      cat /sys/devices/system/cpu/online > /dev/null || echo 'sees no processors'; cat mine; echo more >> mine; echo new > new; cat /proc/self/uid_map | tr -s ' '
      cat /etc/shadow; su -c true; unshare -U true; unshare -Ur true; setpriv --reuid 0 true; kill -0 1; ls /proc/1/root/; true`;
    const { out, err } = await scriptIn(box, script, { user: NOBODY });
    expect(out.trim().split('\n')).toEqual([
      ...['65534', '65534', '65534', 'Uid: 65534 65534 65534 65534', 'Gid: 65534 65534 65534 65534'],
      ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}: 0000000000000000`),
      ...['NoNewPrivs: 1', 'was made by Fleet', ' 0 0 4294967295'],
    ]);
    expect(err).toMatch(/\/etc\/shadow: Permission denied/);
    expect(err.match(/unshare failed: Operation not permitted/g)).toHaveLength(2);
    expect(await readFile(join(box.directory, 'mine'), 'utf8')).toBe('was made by Fleet\nmore\n');
    expect(await stat(join(box.directory, 'new'))).toMatchObject(NOBODY);
  });

  inBoxAsRoot('gets no file by a link or a second name it has left in its directory [RUN-16] [T11]', async (box) => {
    const { symlink, link, rm } = await import('node:fs/promises');
    const beside = `${box.directory}-beside`;
    try {
      await writeFile(beside, 'of root\n', { mode: 0o600 });
      await symlink(beside, join(box.directory, 'link'));
      await link(beside, join(box.directory, 'second'));
      await symlink('/etc', join(box.directory, 'etc'));
      const { out } = await scriptIn(box, 'cat link second 2> /dev/null; cat etc/hostname > /dev/null; id -u', { user: NOBODY });
      expect(out).toBe('65534\n');
      expect(await stat(beside)).toMatchObject({ uid: 0, gid: 0 });
      expect((await stat(beside)).mode & 0o777).toBe(0o600);
      expect(await stat('/etc')).toMatchObject({ uid: 0 });
    } finally {
      await rm(beside, { force: true });
    }
  });

  inBoxAsRoot('is looked at by programs of Fleet that are nobody else than it was [RUN-16]', async (box) => {
    await scriptIn(box, 'umask 077; echo secret > file', { user: NOBODY });
    const seen = [{ from: box.directory, at: box.directory, as: 'read' }] as const;
    expect(await scriptIn(box, 'cat file; id -u', { mounts: seen })).toMatchObject({ out: 'secret\n65534\n' });
  });
});

describe('a run in a sandbox, where Fleet runs as root', () => {
  asRoot('is refused when it would have to be root, with the reason, unless it may be [RUN-16]', async () => {
    await using house = await boxHouse(['sandbox_as_root=false']);
    await house.up();
    const id = await house.create('touch ran; exit 0', '--sandbox');
    await house.settled([id]);
    const [last] = await house.runs(id);
    expect(last?.phase).toMatchObject({
      outcome: 'refused',
      detail: expect.stringMatching(
        /it is to change .*work, which does not belong to nobody \(sandbox_user\).*sandbox_as_root=true/,
      ),
    });
    await house.ok(['config', 'set', 'sandbox_as_root=true']);
    const allowed = await house.create('id -u; exit 0', '--sandbox');
    await house.settled([allowed]);
    expect(await house.said(allowed)).toBe('0\n');
  });

  asRoot('is another user in a directory of that one, with its home, its tools and its streams [RUN-16] [T17]', async () => {
    await using house = await boxHouse(['sandbox_as_root=false']);
    await chown(house.work, NOBODY.uid, NOBODY.gid);
    await mkdir(join(house.env['HOME'] ?? '', '.config'), { recursive: true });
    await house.up();
    const script = [
      'id -u; touch here ~/there "$FLEET_RUN_DIR/box" && echo wrote; echo told >> /dev/stdout; echo told >> /dev/stderr',
      'cat /etc/shadow > /dev/null 2>&1 || echo kept; ls -d ~/.gitconfig > /dev/null && cat ~/.gitconfig > /dev/null && echo read',
      'cat "$FLEET_RUN_DIR"/*.md > /dev/null && echo instructed; exit 0',
    ].join('\n');
    const id = await house.create(script, '--sandbox');
    await house.settled([id]);
    expect((await house.said(id)).split('\n')).toEqual(expect.arrayContaining(['65534', 'wrote', 'told', 'kept', 'read']));
    expect(await house.outcomes(id)).toEqual(['succeeded']);
    expect(await stat(join(house.work, 'here'))).toMatchObject(NOBODY);
    expect(await stat(join(house.home, 'tasks', id, 'home', 'there'))).toMatchObject(NOBODY);
    expect((await stat(house.home)).uid).toBe(0);
  });

  asRoot('commits as another user in a clone of its own, and Fleet takes its work [RUN-16]', async () => {
    await using house = await boxHouse(['sandbox_as_root=false']);
    const repo = await house.repository('shop');
    await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'auto']);
    await house.up();
    const script =
      'id -u; echo more >> README; git commit -qam more && git status --short && echo committed; echo left > left; exit 0';
    const id = await inShop(house, script, '--isolation', 'clone');
    await house.settled([id]);
    expect((await house.said(id)).split('\n')).toEqual(expect.arrayContaining(['65534', 'committed']));
    expect(await house.task(id)).toMatchObject({ phase: { state: 'done' } });
  });
});
