import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../exit-codes.ts';
import { run, table } from '../fake-io.ts';
import { widthOf } from '../terminal/width.ts';

const help = async (...argv: string[]) => run(argv, { io: { columns: 120 } });

describe('help', () => {
  it('is what fleet alone says, and opens nothing', async () => {
    const { code, out, opened } = await help();
    expect({ code, opened }).toEqual({ code: 0, opened: [] });
    for (const argv of [['--help'], ['-h'], ['help']]) expect((await help(...argv)).out).toBe(out);
    for (const code of Object.values(EXIT_CODES)) expect(out).toContain(`${code} `);
  });

  it('lists the verbs of a noun', async () => {
    const { out } = await help('task');
    for (const verb of ['create', 'list', 'import FILE', 'comment ID TEXT']) expect(out).toContain(`  ${verb} `);
    expect((await help('task', '--help')).out).toBe(out);
    expect((await help('help', 'task')).out).toBe(out);
  });

  it.each(table.commands.map(({ path }) => [path] as const))('of %j is the same however it is asked, and fits', async (path) => {
    const { out, code } = await help(...path, '--help');
    expect(code).toBe(0);
    expect((await help('help', ...path)).out).toBe(out);
    expect(out).toContain(`Usage: fleet ${path.join(' ')}`);
    expect(Math.max(...out.split('\n').map(widthOf))).toBeLessThanOrEqual(100);
  });

  it('wins over what is missing, and loses to what is unknown', async () => {
    expect((await help('task', 'show', '--json', '--help')).out).toContain('Usage: fleet task show ID');
    expect((await help('task', 'nope', '--help')).code).toBe(2);
  });

  it('tells the version', async () => expect((await help('--version')).out).toBe('1.2.3\n'));
});
