import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { describe, expect, it } from 'vitest';
import { run } from './run.mjs';
import { sbom } from './sbom.mjs';

const root = dirname(import.meta.dirname);
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(text('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly publishConfig: { readonly provenance: boolean };
};

describe('the package', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
  const [pack] = JSON.parse(listed.slice(listed.indexOf('['))) as { files: { path: string }[] }[];
  const packed = (pack?.files ?? []).map(({ path }) => path);

  it('holds the program, its licence and what its README leads to, and nothing else [T30]', () => {
    const wanted = [
      /^dist\/chunks\/[\w-]+\.mjs$/,
      /^dist\/(claude-sdk-agent|collector|fleet|git-helper|module-worker|sandbox-inside|sandbox-outside|scripted-agent|spawn-helper|sqlite-worker)\.mjs$/,
      /^dist\/executor\.d\.ts$/,
      /^docs\/demo\.svg$/,
      /^docs\/(guide|reference)\/[\w-]+\.md$/,
      /^(README|CHANGELOG|ARCHITECTURE|CONTRIBUTING)\.md$/,
      /^(LICENSE|package\.json)$/,
    ];
    expect(packed.filter((path) => !wanted.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(wanted.filter((pattern) => !packed.some((path) => pattern.test(path)))).toEqual([]);
  });

  it('has a README whose links lead somewhere in it [T30]', () => {
    const links = [...text('README.md').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(5);
    expect(
      links.filter((link) => !packed.some((path) => path === link || (link.endsWith('/') && path.startsWith(link)))),
    ).toEqual([]);
  });

  it('has what its manifest names, and a program that can be started', () => {
    const named = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((one) => Object.values(typeof one === 'string' ? { one } : one)),
    ];
    expect(named.map((path) => path.replace('./', '')).filter((path) => !packed.includes(path))).toEqual([]);
    for (const path of Object.values(manifest.bin)) expect(text(path)).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('is put together as npm and Node expect it, and says who built it [T30]', async () => {
    expect((await publint({ pkgDir: root, pack: 'npm', strict: true })).messages).toEqual([]);
    expect(manifest.publishConfig.provenance).toBe(true);
  });

  it('runs nothing when it is installed [T30]', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare', 'prepublish'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });
});

describe('the bill of materials', () => {
  it('names each package that users install, with its version, licence and hash, and no other [T30]', () => {
    const document = sbom(JSON.parse(text('package-lock.json')));
    expect(document).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { name: 'fleet-agents' } },
    });
    const names = document.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    expect(names).not.toContain('vitest');
    const bare = document.components.filter(({ licenses, hashes, scope }) => !licenses || (!hashes && scope !== 'optional'));
    expect(bare).toEqual([]);
    expect(sbom(JSON.parse(text('package-lock.json')))).toEqual(document);
  });
});

describe('the audit', () => {
  const audit = (registry: string, CI = 'true') =>
    run(process.execPath, [join(root, 'tools', 'audit.mjs')], {
      cwd: root,
      env: { ...process.env, npm_config_registry: registry, CI },
    });

  it('says when the registry cannot be reached, and does not fail', async () => {
    const { code, output } = await audit('http://127.0.0.1:9/');
    expect(output).toContain('audit: not asked');
    expect(code).toBe(0);
  });

  it('fails in CI on a serious flaw of a package that users install, and tells of it everywhere [T30]', async () => {
    const advisory = {
      id: 1,
      url: 'https://example.invalid/1',
      title: 'bad',
      severity: 'critical',
      vulnerable_versions: '*',
      cwe: [],
      cvss: {},
    };
    const server = createServer(({ method, url = '' }, answer) => {
      const name = decodeURIComponent(url.slice(1));
      const packument = { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name, version: '1.0.0' } } };
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify(method === 'POST' ? { zod: [advisory] } : packument));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const registry = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
      for (const [CI, expected] of [
        ['true', 1],
        ['', 0],
      ] as const) {
        const { code, output } = await audit(registry, CI);
        expect(output).toContain('audit: zod * has a flaw that is critical');
        expect(code).toBe(expected);
      }
    } finally {
      server.close();
    }
  });
});

it('prints the bill of materials', () => {
  const { stdout, status } = spawnSync(process.execPath, ['tools/sbom.mjs'], { cwd: root, encoding: 'utf8' });
  expect([status, (JSON.parse(stdout) as { bomFormat: string }).bomFormat]).toEqual([0, 'CycloneDX']);
});
