import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { planted, plantedCheckout } from './planted.ts';

const config =
  "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { projects: [{ test: { name: 'unit', include: ['t/*.test.ts'] } }] } });\n";

/** Runs the test command in a checkout of its own. It counts the build and, when nothing is left behind, the census as passed. */
function testCommand(files: Readonly<Record<string, string>>, ...flags: string[]): { status: number | null; lines: string[] } {
  using checkout = plantedCheckout({ 'vitest.config.ts': config, ...files });
  const { status, stdout } = spawnSync(process.execPath, ['tools/test.mjs', '--only', 'unit', ...flags], {
    cwd: checkout.path,
    encoding: 'utf8',
  });
  return { status, lines: stdout.trimEnd().split('\n') };
}

const test = (...bodies: string[]): string => `import { beforeAll, it, expect } from 'vitest';\n${bodies.join('\n')}\n`;

it('ends with how many passed and failed', () => {
  const { status, lines } = testCommand({ 't/a.test.ts': test("it('x', () => {});", "it('y', () => {});") });
  expect(lines.at(-1)).toBe('4 passed, 0 failed');
  expect(status).toBe(0);
});

it('counts what is left for the full run, and what is skipped, by name', () => {
  const { lines } = testCommand({
    't/a.test.ts': test("it.skip('long (full run only)', () => {});", "it.skip('odd', () => {});", "it('x', () => {});"),
  });
  expect(lines.at(-2)).toMatch(/^1 left for npm run test:full, \d+ s$/);
  expect(lines.join('\n')).toContain('skipped (1):\n  t/a.test.ts: odd');
});

it('fails on a test that was tried again, though it passed then', () => {
  const source = "let times = 0; it('flaky', { retry: 1 }, () => { times += 1; expect(times, 'first try').toBe(2); });";
  const { status, lines } = testCommand({ 't/a.test.ts': test(source) });
  expect(lines.join('\n')).toContain('t/a.test.ts: flaky: passed only when it was tried again');
  expect(lines.at(-1)).toBe('3 passed, 1 failed');
  expect(status).toBe(1);
});

it('ends what hangs, and names it: a test, a loop, a hook, a file', () => {
  const forever = 'await new Promise(() => setInterval(() => {}, 1000))';
  const begins = (name: string) => `writeFileSync('begun-${name}', '');`;
  // The guard begins to count only when all four are known to hang: until then the runner's file grows by empty lines.
  const growing = `
    import { appendFileSync, existsSync, readFileSync } from 'node:fs';
    const running = process.env.FLEET_TEST_RUNNING;
    const hang = () => ['b', 'c', 'd'].every((name) => existsSync('begun-' + name)) && readFileSync(running, 'utf8').includes('a.test.ts: hangs');
    const timer = setInterval(() => (hang() ? clearInterval(timer) : appendFileSync(running, '\\n')), 100);
  `;
  const patient = config.replace(
    "name: 'unit',",
    "name: 'unit', pool: 'forks', maxWorkers: 4, testTimeout: 9e6, hookTimeout: 9e6,",
  );
  const writes = "import { writeFileSync } from 'node:fs';\n";
  const files = {
    't/a.test.ts': test("it('ends', () => {});", `it('hangs', async () => { ${forever}; });`),
    't/b.test.ts': writes + test(`it('spins', () => { ${begins('b')} for (;;); });`),
    't/c.test.ts': writes + test(`beforeAll(async () => { ${begins('c')} ${forever}; });`, "it('x', () => {});"),
    't/d.test.ts': writes + test(`${begins('d')} ${forever};`, "it('x', () => {});"),
  };
  const { status, lines } = testCommand({ 'vitest.config.ts': growing + patient, ...files }, '--hang-minutes', '0.05');
  const at = lines.indexOf('  no test began or ended for 0.05 minutes; running:');
  expect(
    lines
      .slice(at + 1, at + 5)
      .map((line) => line.trim())
      .toSorted(),
    lines.join('\n'),
  ).toEqual(['t/a.test.ts: hangs', 't/b.test.ts', 't/c.test.ts', 't/d.test.ts']);
  expect(lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed$/);
  expect(status).toBe(1);
});

it('prints the seed of a simulation that failed', () => {
  const { status, lines } = testCommand({
    't/a.test.ts': test("it('x', () => { throw new Error('two holders\\nseed: 4711'); });"),
  });
  expect(lines.join('\n')).toContain('seeds:\n  seed: 4711');
  expect(lines.at(-1)).toBe('2 passed, 1 failed');
  expect(status).toBe(1);
});

it.each([
  ['vitest cannot start', { 'vitest.config.ts': "throw new Error('broken');\n" }],
  ['a test file cannot be loaded', { 't/a.test.ts': "import './gone.ts';\n" }],
  [
    'an error escapes every test',
    {
      't/a.test.ts': test(
        "it('x', async () => { void Promise.reject(new Error('stray')); await new Promise((r) => setTimeout(r, 50)); });",
      ),
    },
  ],
  ['the tests kill their runner', { 't/a.test.ts': test("it('x', () => { process.kill(process.ppid, 'SIGKILL'); });") }],
])('ends with the line also when %s', (_, files) => {
  const { status, lines } = testCommand(files);
  expect(lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed$/);
  expect(status).toBe(1);
});

it('finds a process that a test left behind, and ends it', () => {
  const { status, lines } = testCommand({
    't/a.test.ts': `import { spawn } from 'node:child_process';\n${test("it('x', () => { spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref(); });")}`,
  });
  const left = /a process was left behind and has been ended: (\d+) sleep 300/.exec(lines.join('\n'));
  expect(left).not.toBeNull();
  expect(existsSync(`/proc/${left?.[1]}/exe`)).toBe(false);
  expect(lines.at(-1)).toBe('2 passed, 1 failed');
  expect(status).toBe(1);
});

it.runIf(canMount())('ends with the line also when a test leaves a mount behind', () => {
  const mounts = "execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', mkdtempSync(`${process.env.TMPDIR}/m-`)])";
  const imports = "import { execFileSync } from 'node:child_process';\nimport { mkdtempSync } from 'node:fs';\n";
  const { status, lines } = testCommand({ 't/a.test.ts': `${imports}${test(`it('x', () => { ${mounts}; });`)}` });
  const left = /rmdir '([^']+)'/.exec(lines.join('\n'))?.[1] ?? '';
  execFileSync('umount', [left]);
  rmSync(dirname(dirname(left)), { recursive: true });
  expect(lines.at(-1)).toBe('3 passed, 1 failed');
  expect(status).toBe(1);
});

function canMount(): boolean {
  using place = planted({});
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place.path]).status === 0;
  return mounted && spawnSync('umount', [place.path]).status === 0;
}
