import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';

const root = import.meta.dirname;

/** In the built program these are JSON; here they are derived live, so that tests need no build. */
const derivedTables: Plugin = {
  name: 'derived-tables',
  resolveId: (id) => (/^virtual:(command-table|routes)$/.test(id) ? `\0${id}` : undefined),
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

const second = 1_000;
/** What waits for other processes is tried twice in the run of everything, which says by name what needed it and bears few. */
const AGAIN = process.env['FLEET_TEST_MARK'] === undefined ? 0 : 1;
const project = (name: string, groupOrder: number, test: object) => ({
  plugins: [derivedTables],
  test: { name, environment: 'node' as const, sequence: { groupOrder }, ...test },
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
        testTimeout: 10 * second,
      }),
      project('process', 1, {
        include: withProcesses,
        pool: 'forks',
        maxWorkers: 2,
        retry: AGAIN,
        testTimeout: 60 * second,
        hookTimeout: 60 * second,
      }),
      project('e2e', 2, {
        include: ['test/e2e/**/*.test.ts', 'test/attacks/**/*.test.ts'],
        pool: 'forks',
        // Most of their time they wait for agents and engines; one core less would be half the speed on two.
        maxWorkers: 2,
        retry: AGAIN,
        testTimeout: 120 * second,
        hookTimeout: 120 * second,
      }),
      project('simulation', 3, {
        include: ['test/simulation/**/*.test.ts'],
        pool: 'forks',
        maxWorkers: 2,
        testTimeout: 600 * second,
        hookTimeout: 60 * second,
      }),
    ],
  },
});
