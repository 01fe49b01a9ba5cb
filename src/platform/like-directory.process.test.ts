import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentPath } from './agent-path.ts';
import { applyFileOpsSync } from './file-ops.ts';
import { replaceSafely } from './write-safely.ts';

const isRoot = process.getuid?.() === 0;

describe('a file that Fleet makes', () => {
  it('is private in a private directory', () => {
    const root = mkdtempSync(join(tmpdir(), 'fleet-like-'));
    try {
      applyFileOpsSync([{ lay: 'file', path: join(root, 'file'), text: 'x' }]);
      expect(statSync(join(root, 'file')).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it.skipIf(!isRoot)('can be read, as root, by whom its directory was given to', async () => {
    const root = mkdtempSync(join(tmpdir(), 'fleet-like-'));
    try {
      for (const name of ['given', 'shown']) mkdirSync(join(root, name), 0o700);
      await chown(join(root, 'given'), 65_534, 65_534);
      await chmod(join(root, 'shown'), 0o755);
      applyFileOpsSync(
        ['given', 'shown'].map((name) => ({ lay: 'whole', path: join(root, name, 'laid'), below: root, text: 'x' })),
      );
      await replaceSafely(agentPath(root, 'given/replaced'), 'x');
      expect(statSync(join(root, 'given', 'laid'))).toMatchObject({ uid: 65_534, gid: 65_534 });
      expect(statSync(join(root, 'given', 'replaced'))).toMatchObject({ uid: 65_534, gid: 65_534 });
      expect(statSync(join(root, 'shown', 'laid'))).toMatchObject({ uid: 0, mode: 0o100644 });
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
