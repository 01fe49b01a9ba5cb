import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inFullRun } from '../../../test/full-only.ts';
import { type ServerHouse, serverHouse } from '../../../test/support/server-house.ts';
import { contract, type OperationName } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { isFault } from '../../domain/fault.ts';

const run = promisify(execFile);
const CANARY = 'canary';
/** Every field meets some of them, and each of them many fields; in the full run all meet all. */
const SHARE = 6;

/** What a shell, git, tmux or SQL would obey. Each would leave the canary in the working directory. */
const PAYLOADS = [
  '$(touch canary)',
  '`touch canary`',
  '; touch canary',
  '| touch canary',
  '& touch canary',
  '&& touch canary',
  '|| touch canary',
  '\ntouch canary\n',
  "'; touch canary; '",
  '"; touch canary; "',
  '"$(touch canary)"',
  "'$(touch canary)'",
  '${IFS}touch${IFS}canary',
  '\u3000;touch\u3000canary',
  '>canary',
  '> canary',
  '<(touch canary)',
  '--output=canary',
  '-ocanary',
  '--upload-pack=touch canary',
  '--exec=touch canary',
  '--receive-pack=touch canary',
  '-c core.pager=touch canary',
  '-c alias.x=!touch canary',
  '--git-dir=canary',
  '--work-tree=canary',
  'ext::sh -c touch% canary',
  'file:///dev/null;touch canary',
  'HEAD;touch canary',
  'HEAD$(touch canary)',
  'main --output=canary',
  '@{-1};touch canary',
  '#(touch canary)',
  '#{run-shell "touch canary"}',
  '%0atouch canary',
  '\r\ntouch canary',
  '\u2028touch canary',
  '*',
  '~/canary',
  '../canary',
];

interface Field {
  readonly type?: string;
  readonly enum?: unknown;
  readonly items?: Field;
}

/** The fields of an operation that take any text. */
function textFields({ input }: Operation): { name: string; isList: boolean }[] {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' }) as { properties?: Record<string, Field> };
  return Object.entries(properties).flatMap(([name, field]) => {
    const item = field.type === 'array' ? field.items : field;
    return item?.type === 'string' && item.enum === undefined ? [{ name, isList: field.type === 'array' }] : [];
  });
}

/** What an operation needs besides the field that is tried. */
function surroundings(
  place: ServerHouse,
  ids: { task: string; question: string },
): Readonly<Partial<Record<OperationName, object>>> {
  const about = { id: ids.task };
  return {
    'project.add': { path: join(place.directory, 'repo') },
    'project.show': { project: 'repo' },
    'project.set': { project: 'repo' },
    'task.create': { prompt: 'x', project: 'repo', draft: true },
    'task.edit': about,
    'task.comment': { ...about, text: 'x' },
    'task.send': { ...about, text: 'x' },
    'task.open': { ...about, files: place.directory },
    'task.restore': about,
    'task.push': about,
    'question.ask': { text: 'x' },
    'question.answer': { id: ids.question, text: 'x' },
    'fleet.blame': { file: join(place.directory, 'repo', 'a.txt') },
    'task.import': { project: 'repo', lines: [] },
    'token.create': { name: 'x', role: 'monitor' },
  };
}

describe('words that a program would obey', () => {
  it('are words, in every text of every operation [T8] [T9]', async () => {
    await using place = await serverHouse();
    const repo = join(place.directory, 'repo');
    await mkdir(repo);
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
        cwd: repo,
        env: { PATH: process.env['PATH'] ?? '', HOME: place.directory },
      });
    await git('init', '-qb', 'main');
    await writeFile(join(repo, 'a.txt'), 'one\n');
    await git('add', '.');
    await git('commit', '-qm', 'first');
    const { call } = place.house;
    await call('project.add', { path: repo });
    const task = await call('task.create', { prompt: 'x', project: 'repo', draft: true });
    const question = await call('question.ask', { text: 'which?' });
    const needed = surroundings(place, { task: task.id, question: question.id });
    const ask = call as unknown as (name: string, input: object) => Promise<unknown>;
    const bugs: string[] = [];
    let tried = 0;
    // Emptying or replacing the database is what these are for.
    const fields = contract
      .filter(({ name }) => name !== 'db.restore' && name !== 'db.prune')
      .flatMap((operation) => textFields(operation).map((field) => ({ operation, ...field })));
    for (const [at, { operation, name, isList }] of fields.entries())
      for (const payload of PAYLOADS.filter((_, index) => inFullRun || (index + at) % SHARE === 0)) {
        tried += 1;
        const input = { ...needed[operation.name], [name]: isList ? [payload] : payload };
        await ask(operation.name, input).catch((error: unknown) => {
          if (!isFault(error)) bugs.push(`${operation.name} ${name} ${JSON.stringify(payload)}: ${String(error)}`);
        });
      }
    expect(bugs).toEqual([]);
    expect(tried).toBeGreaterThan(inFullRun ? 4_000 : 600);
    const everywhere = [place.directory, repo, process.cwd(), place.house.paths.path];
    for (const directory of everywhere) expect(await readdir(directory)).not.toContain(CANARY);
  });
});

describe('another user of the machine', () => {
  it('reads nothing of a home [T26]', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can become another user');
    await using place = await serverHouse();
    // Its home must be what keeps them out, not the directory it happens to be in.
    await chmod(place.directory, 0o755);
    await place.house.call('task.create', { prompt: 'x'.repeat(40_000), directory: place.directory });
    await place.house.call('db.backup', {});
    const { path } = place.house.paths;
    const { stdout } = await run('find', [path]);
    const all = stdout.trim().split('\n');
    expect(all.length).toBeGreaterThanOrEqual(15);
    const readable: string[] = [];
    for (const file of all) {
      const outcome = await run('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'cat', file]).then(
        () => 'read',
        ({ stderr }: { stderr: string }) => (stderr.includes('Is a directory') ? 'entered' : 'refused'),
      );
      if (outcome !== 'refused') readable.push(`${file}: ${outcome}`);
    }
    expect(readable).toEqual([]);
  });
});
