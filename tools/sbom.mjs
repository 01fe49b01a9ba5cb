/** `npm run sbom`: what a user of Fleet installs, as a CycloneDX 1.6 document made from package-lock.json. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';

/** The same lock file gives the same document, to the byte: no clock, no chance. */
export function sbom(lock) {
  const { '': self, ...packages } = lock.packages;
  const components = Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, entry]) => component(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), entry));
  const number = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${number.slice(0, 8)}-${number.slice(8, 12)}-4${number.slice(13, 16)}-8${number.slice(17, 20)}-${number.slice(20, 32)}`,
    version: 1,
    metadata: { component: { ...component(lock.name, { ...self, version: lock.version }), type: 'application' } },
    components,
  };
}

function component(name, { version, license, integrity, optional }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [, algorithm, digest] = /^(sha\d+)-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(optional ? { scope: 'optional' } : {}),
    ...(license ? { licenses: [/ (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }] } : {}),
    ...(digest
      ? { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  process.stdout.write(`${JSON.stringify(sbom(lock), null, 2)}\n`);
}
