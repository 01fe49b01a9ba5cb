/** `npm run check`: the whole gate but the tests. One line per step; a step that fails shows what it found. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';
import { run } from './run.mjs';
import { setUp } from './setup.mjs';

const atOnce = 2;
const bin = (path) => join(root, 'node_modules', path);
const node = (...args) => run(process.execPath, args, { cwd: root });

const step = (name, ...args) => ({
  names: [name],
  async run() {
    const { code, output, ms } = await node(...args);
    return [{ name, ok: code === 0, ms, notes: [], output }];
  },
});

/** Own checks, as many as named, in one process of their own. */
const own = (...names) => ({
  names,
  async run() {
    const { output, ms } = await node('--import', 'tsx', join(root, 'tools', 'checks', 'main.ts'), ...names);
    const verdicts = output.split('\n').flatMap(asVerdict);
    return names.map((name) => {
      const verdict = verdicts.find((candidate) => candidate.name === name);
      if (!verdict) return { name, ok: false, ms, notes: [], output: `the check ended without an answer\n${output}` };
      return {
        name,
        ok: verdict.violations.length === 0,
        ms: verdict.ms,
        notes: verdict.notes ?? [],
        output: verdict.violations.join('\n'),
      };
    });
  },
});

/** Longest first, so that they overlap with the short ones. */
const steps = [
  own('rooms'),
  step('lint', bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'),
  step('dead code', bin('knip/bin/knip.js'), '--no-progress'),
  step('types', bin('typescript7/bin/tsc'), '--noEmit'),
  own('docs'),
  own('tests'),
  own('sizes', 'bans', 'names', 'reading', 'git calls', 'readmes', 'text', 'lock file', 'licences', 'decisions'),
  step('audit', join(root, 'tools', 'audit.mjs')),
  step('format', bin('@biomejs/biome/bin/biome'), 'check', '--colors=off'),
];

/** Runs every step and prints as they end. Answers with one entry per step. */
export async function runChecks(print = (line) => process.stdout.write(`${line}\n`)) {
  const waiting = [...steps];
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const result of await next.run()) {
        results.push(result);
        print(describe(result));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

function describe({ name, ok, ms, notes, output }) {
  const head = `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(10)} ${(ms / 1000).toFixed(1).padStart(5)} s${notes.length > 0 ? `  ${notes.join('; ')}` : ''}`;
  return ok ? head : `${head}\n${output.trimEnd().replace(/^/gm, '      ')}`;
}

function asVerdict(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUp();
  const results = await runChecks();
  const failed = results.filter(({ ok }) => !ok).length;
  process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
