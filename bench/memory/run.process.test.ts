import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'fleet benches '));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
afterAll(() => rmSync(folder, { recursive: true }));

const MEASURE = JSON.stringify(new URL('../measure.ts', import.meta.url).href);
const RUN = JSON.stringify(new URL('./run.ts', import.meta.url).href);

/** A benchmark of one figure, whose floor is 1, and which ends like this. */
const bench = (name: string, ratio: number, end = '') =>
  writeFileSync(
    join(folder, `${name}.bench.ts`),
    `import { measure } from ${MEASURE};
     await measure({ name: '${name}', goal: { atMost: 1.3 }, pairs: 3, warmUps: 0, floor: () => 1, product: () => ${ratio} });
     ${end}`,
  );

function benches(...args: readonly string[]) {
  const program = `import(${RUN}).then(({ runBenches }) => { process.exitCode = runBenches(${JSON.stringify(args)}, ${JSON.stringify(folder)}); })`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), '-e', program], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const baseline = () => JSON.parse(readFileSync(join(folder, 'baseline.json'), 'utf8')) as Record<string, { ratio: number }>;

describe('a run of benchmarks', () => {
  beforeEach(() => {
    bench('alpha', 1);
    bench('beta', 1.05);
    writeFileSync(join(folder, 'baseline.json'), JSON.stringify({ alpha: { ratio: 1, noise: 0 }, beta: { ratio: 1, noise: 0 } }));
  });

  it('ends with 0 when every goal is met and nothing fell', () => {
    const { status, stdout } = benches();
    expect(stdout).toMatch(/alpha +≤ 1\.30 +1\.00 +1\.00 +±0 %/);
    expect(status).toBe(0);
  });

  it('ends with 1 and names what fell, until that is accepted', () => {
    bench('beta', 1.25);
    expect(benches()).toMatchObject({ status: 1, stdout: expect.stringContaining('\nfell: beta was 1.00, is 1.25') });
    expect(benches('--accept', 'beta')).toMatchObject({ status: 0 });
    expect(baseline()).toMatchObject({ alpha: { ratio: 1 }, beta: { ratio: 1.25 } });
    expect(benches()).toMatchObject({ status: 0 });
  });

  it('does not accept a missed goal by the way', () => {
    bench('alpha', 2);
    expect(benches('--accept')).toMatchObject({ status: 1, stdout: expect.stringContaining('baseline.json is unchanged') });
    expect(baseline()).toMatchObject({ alpha: { ratio: 1 } });
    expect(benches('--accept=all')).toMatchObject({ status: 0 });
    expect(baseline()).toMatchObject({ alpha: { ratio: 2 } });
    expect(benches()).toMatchObject({ status: 1, stdout: expect.stringContaining('goal missed: alpha is 2.00') });
  });

  it('says so when a benchmark does not come to its end, and keeps the figures it had by then', () => {
    bench('beta', 1, 'await new Promise(() => {});');
    const broke = benches('--accept=all');
    expect(broke).toMatchObject({ status: 1, stdout: expect.stringContaining('broken: beta.bench.ts ended with code 13') });
    expect(broke.stdout).toMatch(/\n +beta +≤ 1\.30/);
    expect(baseline()).toMatchObject({ alpha: { ratio: 1 } });
  });

  it('names what the baseline has and nobody measures, and which benchmarks there are', () => {
    rmSync(join(folder, 'beta.bench.ts'));
    expect(benches().stdout).toContain('not measured any more: beta');
    expect(benches('gamma').stderr).toContain('no benchmark is called like gamma: there are alpha.bench.ts');
  });
});
