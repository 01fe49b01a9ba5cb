import { join } from 'node:path';
import type { Program } from '../../domain/agent/executor.ts';

/** Machine types and the folder of the native program in the package of each. */
const NATIVE = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
} as const;

export const codexProgram: Program = {
  command: 'codex',
  versionArgs: ['--version'],
  proved: '0.166.0',
  install: 'npm install -g @openai/codex@0.166.0',
  login: 'codex login',
  keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  credentials: ['.codex/auth.json'],
  moved: { variable: 'CODEX_HOME', directory: '.codex' },
  placeSettings: '.codex',
  variables: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  native: (wrapper) => nativeOf(wrapper),
};

/** Paths of the native program, which `…/@openai/codex/bin/codex.js` starts: in a sibling package or, with older npm, a nested one. */
function nativeOf(wrapper: string): string[] {
  const found = /^(.*)\/@openai\/codex\/bin\/codex[.]js$/.exec(wrapper)?.[1];
  if (found === undefined) return [];
  return Object.entries(NATIVE).flatMap(([machine, folder]) =>
    [found, join(found, '@openai', 'codex', 'node_modules')].map((modules) =>
      join(modules, '@openai', `codex-${machine}`, 'vendor', folder, 'bin', 'codex'),
    ),
  );
}
