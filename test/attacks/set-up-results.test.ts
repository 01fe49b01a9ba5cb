import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FaultHouse } from '../fixtures/fault-house.ts';
import { boxed, boxHouse } from '../support/box-house.ts';

let house: FaultHouse;
/** Without a blank in its name, so that it can be written anywhere in a script. */
let marks: string;
const markFor = (name: string): string => join(marks, name);

beforeAll(async () => {
  marks = await mkdtemp(join(tmpdir(), 'marks-'));
  house = await boxHouse(['max_repairs=0', 'guarded_paths=[]', 'max_gates=4']);
  await house.up([], false);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
  await rm(marks, { recursive: true });
});

interface Shop {
  readonly path: string;
  /** Hands in a task and waits until it rests; then its gate is over, and waits for a person or is done. */
  attempt(script: string, ...flags: readonly string[]): Promise<string>;
  /** A file of the work of a task. */
  made(id: string, file: string): Promise<string>;
}

async function shop(name: string, files: Readonly<Record<string, string>>, ...flags: readonly string[]): Promise<Shop> {
  const path = await house.repository(name);
  for (const [file, text] of Object.entries({ '.gitignore': 'node_modules/\n', ...files }))
    await writeFile(join(path, file), text);
  await house.git(path, 'add', '-A');
  await house.git(path, 'commit', '-qm', 'tools');
  await house.ok([
    'project',
    'add',
    path,
    '--name',
    name,
    ...(flags.includes('--integration') ? [] : ['--integration', 'review']),
    ...flags,
  ]);
  return {
    path,
    attempt: async (script, ...more) => {
      const words = ['task', 'create', '--project', name, '--prompt', `${script}\nexit 0`, '--json', ...more];
      const { id } = (await house.ok(words)).json<{ id: string }>();
      await house.settled([id]);
      return id;
    },
    made: async (id, file) => {
      const { work } = (await house.task(id)) as unknown as { work: { tip: string } };
      return (await house.git(path, 'show', `${work.tip}:${file}`)).out.trim();
    },
  };
}

/** Refused for good; whatever served it is free, or gone. */
async function reject(id: string): Promise<void> {
  await house.ok(['task', 'reject', id]);
  await house.ok(['task', 'cleanup', id]);
  await free(id);
}

const free = (id: string): Promise<void> =>
  vi.waitFor(async () => {
    const { items } = (await house.ok(['workspace', 'list', '--json'])).json<{ items: { use: { taskId?: string } }[] }>();
    expect(items.filter(({ use }) => use.taskId === id)).toEqual([]);
  }, 40_000);

const setUps = async (id: string): Promise<number> =>
  (await house.runs(id)).filter((run) => (run as unknown as { kind: string }).kind === 'setup').length;

const INSTALL = 'mkdir -p node_modules; echo "echo clean" > node_modules/tool.sh\n';
const TOOLS = ['--setup', 'sh ./install.sh', '--verify', 'sh node_modules/tool.sh'];
const LOOK = 'cp node_modules/tool.sh seen';

/** A set-up that installs something else, and says where it got to run. */
const evil = (mark: string): string =>
  `printf '%s\\n' 'mkdir -p node_modules; echo "touch ${mark} || true" > node_modules/tool.sh' > install.sh`;

describe('work that nobody agreed to', () => {
  boxed('in a sandbox installs nothing that the next task or its gate runs outside [WORK-03] [T11]', async () => {
    const mark = markFor('sandboxed');
    const { attempt, made } = await shop('q1', { 'install.sh': INSTALL, lock: '1\n' }, ...TOOLS, '--setup-input', 'lock');
    const bad = await attempt(evil(mark), '--sandbox');
    expect((await house.task(bad)).phase).toMatchObject({ state: 'blocked', block: { cause: 'review' } });
    await reject(bad);
    const next = await attempt(LOOK);
    expect(await made(next, 'seen')).toBe('echo clean');
    expect(existsSync(mark)).toBe(false);
    // One for the agent, one for its gate: neither had anything to begin with.
    expect(await setUps(next)).toBe(2);
  });

  it('installs nothing that the next task or its gate runs, where both are trusted alike and the inputs look the same [WORK-03]', async () => {
    const mark = markFor('own');
    const { attempt, made } = await shop('q2', { 'install.sh': INSTALL, lock: '1\n' }, ...TOOLS, '--setup-input', 'lock');
    const bad = await attempt(evil(mark));
    await rm(mark, { force: true });
    await reject(bad);
    const next = await attempt(LOOK);
    expect(await made(next, 'seen')).toBe('echo clean');
    expect(existsSync(mark)).toBe(false);
    const { evidence } = (await house.ok(['task', 'report', next, '--json'])).json<{ evidence: { output: string }[] }>();
    expect(evidence.map(({ output }) => output)).toEqual([expect.stringContaining('clean')]);
  });

  boxed('changes no tools of the next agent in a sandbox, however well it hides the change [WORK-03]', async () => {
    const { attempt, made } = await shop('q3', { 'install.sh': INSTALL }, ...TOOLS);
    const hidden =
      'touch -r node_modules/tool.sh before; echo "echo evil" > node_modules/tool.sh; touch -r before node_modules/tool.sh; rm before; echo 1 > work';
    await reject(await attempt(hidden, '--sandbox'));
    const next = await attempt(LOOK, '--sandbox');
    expect(await made(next, 'seen')).toBe('echo clean');
    // That of its gate, whose commit has not landed. The agent got a copy from before any agent came.
    expect(await setUps(next)).toBe(1);
  });
});

describe('an agent that finds files of a package store in its workspace', () => {
  const LINK = 'mkdir -p node_modules && ln -f ~/.store/pkg.js node_modules/pkg.js';
  const WRITE = 'echo EVIL >> node_modules/pkg.js; cp node_modules/pkg.js seen';
  const file = () => join(house.env['HOME'] ?? '', '.store', 'pkg.js');

  beforeAll(async () => {
    await mkdir(join(file(), '..'), { recursive: true });
    await writeFile(file(), 'content\n');
    await house.ok(['config', 'set', 'sandbox_read=["~/.store"]']);
  });

  boxed('does not change the store by them from a sandbox [WORK-03] [T11]', async () => {
    const { attempt, made } = await shop('pn', {}, '--setup', LINK, '--integration', 'none');
    await free(await attempt('cat node_modules/pkg.js > seen'));
    // Out of a sandbox nothing can be linked: the set-up fails, and no agent starts.
    const bad = await attempt(WRITE, '--sandbox');
    expect((await house.task(bad)).phase).toMatchObject({ state: 'blocked', block: { cause: 'setup' } });
    await house.ok(['project', 'set', 'pn', '--setup', `${LINK} || cp ~/.store/pkg.js node_modules/pkg.js`]);
    await free(await attempt('cat node_modules/pkg.js > seen'));
    const copied = await attempt(WRITE, '--sandbox');
    expect(await made(copied, 'seen')).toBe('content\nEVIL');
    expect(await readFile(file(), 'utf8')).toBe('content\n');
  });

  it('does not change the store by them from a private clone, nor the files that were copied for it [WORK-03] [T11]', async () => {
    const { attempt, made, path } = await shop('pc', {}, '--setup', LINK, '--copy-file', 'node_modules/.env');
    await mkdir(join(path, 'node_modules'));
    await writeFile(join(path, 'node_modules', '.env'), 'SECRET=1\n');
    const apart = await attempt(`${WRITE}; echo EVIL >> node_modules/.env`, '--isolation', 'clone');
    expect(await made(apart, 'seen')).toBe('content\nEVIL');
    expect(await readFile(file(), 'utf8')).toBe('content\n');
    expect(await readFile(join(path, 'node_modules', '.env'), 'utf8')).toBe('SECRET=1\n');
  });
});
