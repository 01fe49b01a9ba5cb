/**
 * Bundles the program into dist/: `fleet.mjs`, `sqlite-worker.mjs` and the chunks both load when needed.
 *
 * `fleet.mjs` answers help and version by itself and is small, because they should take no longer than Node does. What every
 * other command needs is one file besides, because each further file costs a command more than its bytes do. All else is
 * split into chunks. What two of them have exists twice, and is therefore never compared by identity across them.
 *
 * A running copy is never half-written: new chunks (their names hold a hash) are moved in first, then each entry is
 * replaced by one rename, and chunks of earlier builds stay for a week because a running copy may still load them.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';
import { root } from './paths.mjs';

const dist = join(root, 'dist');
/** Its modification time is the moment the last good build started reading the source. The `fleet` launcher reads it too. */
const stamp = join(dist, '.built');
const sources = ['src', 'package-lock.json', 'package.json', 'tools/build.mjs', 'tools/derive.ts'];
const chunksKeptMs = 7 * 24 * 60 * 60 * 1000;

const main = 'src/app/main.ts';
/** Everything but help and version. */
const commands = 'src/app/commands.ts';
/** Of `fleet.mjs`: each further 10 KB are felt by whoever asks for help. */
const mostBytesOfMain = 24_000;
const contract = 'src/domain/agent/executor.ts';
/** Loaded by nearly every command: part of its file although they are asked for only when needed. */
const always = ['src/surfaces/cli/parse/read-arguments.ts', 'src/surfaces/cli/carry-out.ts', 'src/app/connect/connect.ts'];
const entries = {
  'sqlite-worker': 'src/store/sqlite/worker.ts',
  'scripted-agent': 'src/executors/scripted/scripted-agent.ts',
  'claude-sdk-agent': 'src/executors/claude/sdk-agent.ts',
  'spawn-helper': 'src/runner/spawn-helper.ts',
  'git-helper': 'src/workspace/git/git-helper.ts',
  collector: 'src/workspace/private/collector.ts',
  'module-worker': 'src/plugins/module-worker.ts',
  'sandbox-inside': 'src/sandbox/inside.ts',
  'sandbox-outside': 'src/sandbox/outside.ts',
};

export function isStale() {
  if (!existsSync(stamp) || !existsSync(join(dist, 'fleet.mjs'))) return true;
  const builtAt = statSync(stamp).mtimeMs;
  return sources.some((path) => isNewer(join(root, path), builtAt));
}

/** Builds if needed. Two at once wait for each other, and the second finds the work done. */
export async function buildIfStale({ force = false } = {}) {
  if (!force && !isStale()) return false;
  return withLock(join(root, '.cache', 'build-lock'), async () => {
    if (!force && !isStale()) return false;
    await build();
    return true;
  });
}

async function build() {
  const started = new Date();
  const { build: bundle } = await import('esbuild');
  mkdirSync(dist, { recursive: true });
  const fresh = mkdtempSync(join(dist, '.new-'));
  try {
    const tables = derivedTables(bundle, fresh);
    const later = new Map();
    await bundle({
      ...options,
      ...whole(commands),
      write: false,
      plugins: [tables, leaveOut((path) => void later.set(path, path))],
    });
    await split(bundle, { outdir: fresh, plugins: [tables], later });
    const byCommands = leaveOut((path) => later.get(path)?.replace('./chunks/', './'));
    const made = await bundle({
      ...options,
      ...whole(commands),
      metafile: true,
      outdir: join(fresh, 'chunks'),
      outExtension: options.outExtension,
      entryNames: '[name]-[hash]',
      plugins: [tables, byCommands, parserOnly],
    });
    assertLight(made.metafile);
    later.set(commands, `./chunks/${basename(Object.keys(made.metafile.outputs)[0])}`);
    const { metafile } = await bundle({
      ...options,
      ...whole(main),
      banner: {},
      metafile: true,
      outfile: join(fresh, 'fleet.mjs'),
      plugins: [tables, leaveOut((path) => later.get(path))],
    });
    assertSmall(metafile);
    makeRunnable(join(fresh, 'fleet.mjs'));
    if (existsSync(join(root, contract))) writeFileSync(join(fresh, 'executor.d.ts'), await executorTypes());
    swapIn(fresh);
    writeFileSync(stamp, '');
    utimesSync(stamp, started, started);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  external: ['libsql'],
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunks/[name]-[hash]',
  // Some packages are CommonJS inside and ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
};

/** A schema library is three times as large as all that a command needs, and every command would pay for it. */
function assertLight({ inputs }) {
  const isSchemas = (path) => path.includes('node_modules/zod/');
  const guilty = Object.keys(inputs).filter(
    (path) => !isSchemas(path) && inputs[path].imports.some((one) => isSchemas(one.path)),
  );
  if (guilty.length > 0)
    throw new Error(
      `every command would load zod by ${guilty.join(', ')}: keep its schemas in files that commands.ts does not import`,
    );
}

function assertSmall({ outputs }) {
  const [{ bytes, inputs }] = Object.values(outputs);
  if (bytes <= mostBytesOfMain) return;
  const largest = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)[0][0];
  throw new Error(`fleet.mjs has ${bytes} bytes, and may have ${mostBytesOfMain}: the largest of it is ${largest}`);
}

/** One file. */
const whole = (entry) => ({ entryPoints: [entry], splitting: false, outExtension: undefined, chunkNames: undefined });

/** Everything but `fleet.mjs`. Puts into `later` under which name each of its modules was written. */
async function split(bundle, { outdir, plugins, later }) {
  const present = Object.entries(entries).filter(([, path]) => existsSync(join(root, path)));
  const asked = [...later.keys()].map((path) => [
    `chunks/${path.slice('src/'.length, -'.ts'.length).replaceAll('/', '-')}`,
    path,
  ]);
  const entryPoints = Object.fromEntries([...present, ...asked]);
  if (Object.keys(entryPoints).length === 0) return;
  // Names change with the content: a copy that still runs goes on with what it was built with.
  const named = { entryPoints, entryNames: '[dir]/[name]-[hash]', metafile: true };
  const { metafile } = await bundle({ ...options, ...named, outdir, plugins });
  const fileOf = new Map(Object.entries(metafile.outputs).map(([file, { entryPoint }]) => [entryPoint, join(root, file)]));
  for (const path of later.keys()) later.set(path, `./${relative(outdir, fileOf.get(path))}`);
  // Programs of their own, which nothing imports.
  for (const [name, path] of present) renameSync(fileOf.get(path), join(outdir, `${name}.mjs`));
}

/** Modules that are asked for only when needed stay outside, under the names they are told to have. */
const leaveOut = (nameOf) => ({
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, resolveDir }) => {
      const found = relative(root, join(resolveDir, path)).replaceAll('\\', '/');
      if (kind !== 'dynamic-import' || always.includes(found)) return undefined;
      return { path: nameOf(found) ?? path, external: true };
    });
  },
});

/** The parser of arguments could start programs for sub-commands; nobody asks it to, and loading what it needs for it takes time. */
const parserOnly = {
  name: 'parser-only',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      importer.includes('node_modules/commander/') ? { path, namespace: 'nothing' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

/** Answers imports of `virtual:…` with plain JSON, so that neither help nor a client loads a schema library. */
function derivedTables(bundle, scratch) {
  let deriving;
  const names = { 'virtual:command-table': 'table', 'virtual:overview': 'parts', 'virtual:routes': 'routes' };
  return {
    name: 'derived-tables',
    setup(build) {
      build.onResolve({ filter: /^virtual:(command-table|overview|routes)$/ }, ({ path }) => ({ path, namespace: 'derived' }));
      build.onLoad({ filter: /.*/, namespace: 'derived' }, async ({ path }) => {
        deriving ??= derive(bundle, scratch);
        const name = names[path];
        // A string of JSON is read several times as fast as the same as a program.
        const text = JSON.stringify(JSON.stringify((await deriving)[name]));
        return { contents: `export const ${name} = /* @__PURE__ */ JSON.parse(${text});\n`, loader: 'js' };
      });
    },
  };
}

async function derive(bundle, scratch) {
  const outfile = join(scratch, 'derive.mjs');
  const { splitting: _, chunkNames: __, outExtension: ___, ...single } = options;
  await bundle({ ...single, entryPoints: ['tools/derive.ts'], outfile, plugins: [leaveOut(() => undefined)] });
  const derived = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return derived;
}

/** The contract of executors, for authors of their own: `fleet-agents/executor`. */
async function executorTypes() {
  const { default: ts } = await import('typescript');
  const source = readFileSync(join(root, contract), 'utf8');
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName: 'executor.ts',
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  if (diagnostics.length > 0) throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, ' '));
  return outputText;
}

function makeRunnable(file) {
  const text = readFileSync(file, 'utf8');
  if (!text.startsWith('#!')) writeFileSync(file, `#!/usr/bin/env node\n${text}`);
  chmodSync(file, 0o755);
}

function swapIn(fresh) {
  const chunks = existsSync(join(fresh, 'chunks')) ? readdirSync(join(fresh, 'chunks')) : [];
  mkdirSync(join(dist, 'chunks'), { recursive: true });
  for (const name of chunks) renameSync(join(fresh, 'chunks', name), join(dist, 'chunks', name));
  for (const name of readdirSync(fresh).filter((file) => /[.](mjs|d[.]ts)$/.test(file)))
    renameSync(join(fresh, name), join(dist, name));
  for (const name of readdirSync(join(dist, 'chunks'))) {
    const old = join(dist, 'chunks', name);
    if (!chunks.includes(name) && Date.now() - statSync(old).mtimeMs > chunksKeptMs) rmSync(old);
  }
}

function isNewer(path, builtAt) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.mtimeMs > builtAt && !path.endsWith('.test.ts')) return true;
  return found.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), builtAt));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { setUp } = await import('./setup.mjs');
  await setUp();
  const started = performance.now();
  try {
    const built = await buildIfStale({ force: !process.argv.includes('--if-stale') });
    if (built) process.stderr.write(`fleet: built in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    // The bundler has shown its own errors by now.
    process.stderr.write(`fleet: the build failed${error.errors ? '' : `: ${error.message}`}\n`);
    process.exit(1);
  }
}
