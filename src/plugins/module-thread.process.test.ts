import { chmod, chown, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModuleThread } from './module-thread.ts';
import { distrust } from './trusted-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-module-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
async function written(text: string): Promise<string> {
  const file = join(folder, `m${count++}.mjs`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

async function withThread<Value>(text: string, use: (thread: ModuleThread) => Value): Promise<Value> {
  const thread = await ModuleThread.open(await written(text));
  try {
    return use(thread);
  } finally {
    thread.close();
  }
}

describe('a module in a thread of its own', () => {
  it('is asked like a function, by plain values [EXEC-04]', async () => {
    const text = 'export default { name: "m", can: { fly: true }, add: (a, b) => ({ sum: a + b }), nothing: () => undefined };';
    await withThread(text, (thread) => {
      expect(thread.facts).toEqual({ name: 'm', can: { fly: true }, functions: ['add', 'nothing'] });
      expect(thread.ask('add', 2, 3).value).toEqual({ sum: 5 });
      expect(thread.ask('nothing').value).toBeUndefined();
    });
  });

  it('costs the call that asked when it throws, promises, or lacks the function, and answers the next one', async () => {
    const text =
      'export default { bad() { throw new RangeError("no"); }, late: async () => 1, own: () => process.env.PATH ?? "none" };';
    await withThread(text, (thread) => {
      expect(() => thread.ask('bad')).toThrow('RangeError: no');
      expect(() => thread.ask('late')).toThrow('promise');
      expect(() => thread.ask('fly')).toThrow('no function fly');
      expect(thread.ask('own').value, 'the environment stays outside').toBe('none');
      expect(thread.missed).toBe(0);
    });
  });

  it.each([
    ['loops for ever', 'while (true);'],
    ['ends its thread', 'process.exit(0);'],
    ['eats memory', 'const all = []; for (;;) all.push(new Array(1e6).fill({}));'],
  ])('is begun again when it %s', async (_, body) => {
    await withThread(`export default { bad() { ${body} }, good: () => 'well' };`, (thread) => {
      expect(() => thread.ask('bad')).toThrow(/gave no answer/);
      expect(thread.ask('good').value).toBe('well');
      expect(thread.missed).toBe(1);
    });
  });

  it.each([
    ['throws', 'throw new Error("while loading");', 'while loading'],
    ['is no JavaScript', 'export default {', 'SyntaxError'],
    ['exports nothing', 'export const x = 1;', 'no default export'],
    ['ends its thread', 'process.exit(0); export default {};', 'ended its thread'],
  ])('is not opened when it %s', async (_, text, why) => {
    await expect(ModuleThread.open(await written(text))).rejects.toThrow(why);
  });
});

describe('whose modules are loaded', () => {
  const me = process.getuid?.() ?? 0;

  it("the user's own, which nobody else may write", async () => {
    const file = await written('');
    expect(distrust(file, me)).toBeUndefined();
    await chmod(file, 0o620);
    expect(distrust(file, me)).toBe(`${file} can be written by others: chmod go-w ${file}`);
    await chmod(file, 0o602);
    expect(distrust(file, me)).toContain('chmod go-w');
  });

  it('not where others may put another in its place, also behind a link', async () => {
    const open = await mkdtemp(join(tmpdir(), 'fleet-open-'));
    try {
      await chmod(open, 0o777);
      await writeFile(join(open, 'theirs.mjs'), '', { mode: 0o600 });
      const link = join(folder, 'link.mjs');
      await symlink(join(open, 'theirs.mjs'), link);
      for (const file of [join(open, 'theirs.mjs'), link])
        expect(distrust(file, me)).toBe(`${open} can be written by others: chmod go-w ${open}`);
    } finally {
      await rm(open, { recursive: true });
    }
  });

  it.skipIf(me !== 0)("not another user's", async () => {
    const file = await written('');
    await chown(file, 65_534, 65_534);
    expect(distrust(file, me)).toContain('belongs to another user (65534)');
    expect(distrust(file, 65_534)).toBeUndefined();
  });
});
