import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';

const root = import.meta.dirname;

/** In the built program these are JSON; here they are derived live, so that tests need no build. */
const derivedTables: Plugin = {
  name: 'derived-tables',
  resolveId: (id) => (/^virtual:(command-table|overview|routes)$/.test(id) ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0virtual:') ? `export * from ${JSON.stringify(join(root, 'tools/derive.ts'))};` : undefined),
};

/** Tests that start processes, or threads of their own, get a process each. */
const withProcesses = [
  'src/**/*.process.test.ts',
  'bench/**/*.process.test.ts',
  'src/store/sqlite/**/*.test.ts',
  'src/runner/**/*.test.ts',
  'tools/**/*.test.ts',
];

const minute = 60_000;
const inFullRun = process.env['FLEET_TEST_FULL'] === '1';
/** Time limits end what hangs, and nothing else: a machine may be ten times slower than two quiet cores. */
const limits = (minutes: number) => ({ testTimeout: minutes * minute, hookTimeout: minutes * minute });
const project = (name: string, groupOrder: number, test: object) => ({
  plugins: [derivedTables],
  test: { name, environment: 'node' as const, sequence: { groupOrder }, setupFiles: ['test/support/patience.ts'], ...test },
});

export default defineConfig({
  test: {
    passWithNoTests: true,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/conformance/**'],
      reporter: ['text-summary', 'html'],
    },
    // Groups run one after the other: what measures or waits is not disturbed by what burns both cores.
    projects: [
      project('unit', 0, {
        include: ['src/**/*.test.ts', 'test/*.test.ts', 'bench/**/*.test.ts'],
        exclude: withProcesses,
        pool: 'threads',
        isolate: false,
        ...limits(5),
      }),
      project('process', 1, {
        include: withProcesses,
        pool: 'forks',
        maxWorkers: 2,
        ...limits(inFullRun ? 90 : 20),
      }),
      project('e2e', 2, {
        include: ['test/e2e/**/*.test.ts', 'test/attacks/**/*.test.ts'],
        pool: 'forks',
        // Most of their time they wait for agents and engines; one core less would be half the speed on two.
        maxWorkers: 2,
        ...limits(inFullRun ? 90 : 30),
      }),
      project('simulation', 3, {
        include: ['test/simulation/**/*.test.ts'],
        pool: 'forks',
        maxWorkers: 2,
        ...limits(90),
      }),
    ],
  },
});
