import { chmod, chown, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModuleThread } from './module-thread.ts';
import { distrustReason } from './trusted-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-module-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
async function writeModule(text: string): Promise<string> {
  const file = join(folder, `m${count++}.mjs`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

async function withThread<Value>(text: string, use: (thread: ModuleThread) => Value): Promise<Value> {
  const thread = await ModuleThread.open(await writeModule(text));
  try {
    return use(thread);
  } finally {
    thread.close();
  }
}

describe('a module in a thread of its own', () => {
  it('is called like a function with plain values [EXEC-04]', async () => {
    const text = 'export default { name: "m", can: { fly: true }, add: (a, b) => ({ sum: a + b }), nothing: () => undefined };';
    await withThread(text, (thread) => {
      expect(thread.facts).toEqual({ name: 'm', can: { fly: true }, functions: ['add', 'nothing'] });
      expect(thread.ask('add', 2, 3).value).toEqual({ sum: 5 });
      expect(thread.ask('nothing').value).toBeUndefined();
    });
  });

  it('fails only the one call if it throws, returns a promise or lacks the function', async () => {
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
  ])('is restarted if it %s', async (_, body) => {
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
  ])('is refused if it %s', async (_, text, why) => {
    await expect(ModuleThread.open(await writeModule(text))).rejects.toThrow(why);
  });
});

describe('a module file is trusted', () => {
  const me = process.getuid?.() ?? 0;

  it('if it is the user’s own and nobody else may write it', async () => {
    const file = await writeModule('');
    expect(distrustReason(file, me)).toBeUndefined();
    await chmod(file, 0o620);
    expect(distrustReason(file, me)).toBe(`${file} can be written by others: chmod go-w ${file}`);
    await chmod(file, 0o602);
    expect(distrustReason(file, me)).toContain('chmod go-w');
  });

  it('but not if others may replace it, also behind a link', async () => {
    const open = await mkdtemp(join(tmpdir(), 'fleet-open-'));
    try {
      await chmod(open, 0o777);
      await writeFile(join(open, 'theirs.mjs'), '', { mode: 0o600 });
      const link = join(folder, 'link.mjs');
      await symlink(join(open, 'theirs.mjs'), link);
      for (const file of [join(open, 'theirs.mjs'), link])
        expect(distrustReason(file, me)).toBe(`${open} can be written by others: chmod go-w ${open}`);
    } finally {
      await rm(open, { recursive: true });
    }
  });

  it.skipIf(me !== 0)('but not if it belongs to another user', async () => {
    const file = await writeModule('');
    await chown(file, 65_534, 65_534);
    expect(distrustReason(file, me)).toContain('belongs to another user (65534)');
    expect(distrustReason(file, 65_534)).toBeUndefined();
  });
});
