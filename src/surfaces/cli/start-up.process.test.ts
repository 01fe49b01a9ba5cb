import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const here = import.meta.dirname;

describe('help, version, completion and usage errors', () => {
  it('load no schema, no contract and no parser', async () => {
    const { metafile } = await build({
      entryPoints: [join(here, 'run-cli.ts'), join(here, 'help/help-page.ts'), join(here, 'flows/completion.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outdir: join(here, 'out'),
      write: false,
      metafile: true,
      logLevel: 'error',
    });
    const outputs = metafile.outputs;
    const loaded = new Set<string>();
    const follow = (name: string) => {
      if (loaded.has(name)) return;
      loaded.add(name);
      for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === 'import-statement') follow(path);
    };
    for (const [name, { entryPoint }] of Object.entries(outputs))
      if (/(run-cli|help-page|completion)\.ts$/.test(entryPoint ?? '')) follow(name);
    const files = [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
    expect(files.some((file) => file.endsWith('cli/run-cli.ts'))).toBe(true);
    expect(files.filter((file) => /node_modules\/(zod|commander)|src\/contract\/|src\/domain\/(?!fault)/.test(file))).toEqual([]);
    const size = [...loaded].reduce((sum, name) => sum + (outputs[name]?.bytes ?? 0), 0);
    expect(size).toBeLessThan(80_000);
  });
});
