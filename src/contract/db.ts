import { z } from 'zod';
import { Path } from '../domain/values.ts';
import { operation } from './operation.ts';

export const migrateDb = operation({
  name: 'db.migrate',
  kind: 'command',
  role: 'admin',
  summary: 'Bring the database to the shape this program needs; done already is fine.',
  input: z.strictObject({}),
  output: z.strictObject({ file: z.string(), schema: z.int() }),
  faults: ['unavailable'],
});

export const checkDb = operation({
  name: 'db.check',
  kind: 'query',
  role: 'admin',
  summary: 'Look for damage in the database, changing nothing.',
  input: z.strictObject({}),
  output: z.strictObject({
    file: z.string(),
    ok: z.boolean(),
    rows: z.int(),
    findings: z.array(z.string()),
    advice: z.string().optional().describe('what to do about it'),
  }),
  faults: ['unavailable'],
});

export const backupDb = operation({
  name: 'db.backup',
  kind: 'command',
  role: 'admin',
  summary: 'Copy the whole database, long texts included, into one file while the fleet runs.',
  input: z.strictObject({ file: Path.optional().describe('file to make; one in backups/ of the home by default') }),
  output: z.strictObject({ file: z.string(), bytes: z.int(), blobs: z.int() }),
  faults: ['invalid', 'conflict', 'unavailable'],
});

const TokensLost = z
  .strictObject({
    revoked: z.int().describe('tokens of the backup that open nothing: they were revoked since, or that cannot be told'),
    gone: z.int().describe('tokens that were made after the backup and are not known any more'),
  })
  .describe('a backup brings no revoked token back');

export const restoreDb = operation({
  name: 'db.restore',
  kind: 'command',
  role: 'admin',
  summary: 'Put a backup in place of the database, keeping a copy of what was there.',
  input: z.strictObject({ file: Path.describe('backup to restore') }),
  output: z.strictObject({ file: z.string(), kept: z.string().optional(), rows: z.int(), tokens: TokensLost }),
  faults: ['invalid', 'not_found', 'conflict', 'unavailable'],
});

export const acceptDb = operation({
  name: 'db.accept',
  kind: 'command',
  role: 'admin',
  summary: 'Go on with a database that was emptied or has lost its write-ahead log, without what is lost.',
  input: z.strictObject({}),
  output: z.strictObject({ file: z.string(), rows: z.int(), lostCommits: z.int(), tokens: TokensLost }),
  faults: ['conflict', 'unavailable'],
});

export const exportDb = operation({
  name: 'db.export',
  kind: 'command',
  role: 'admin',
  summary: 'Write every row as JSON Lines into a file.',
  input: z.strictObject({ file: Path.describe('file to make') }),
  output: z.strictObject({ file: z.string(), rows: z.int() }),
  faults: ['invalid', 'conflict', 'unavailable'],
});

export const pruneDb = operation({
  name: 'db.prune',
  kind: 'command',
  role: 'admin',
  summary: 'Delete finished tasks past their retention, old request answers and unused texts.',
  input: z.strictObject({
    olderThanDays: z.int().min(0).max(36_500).optional().describe('instead of the setting retention_days'),
    dryRun: z.boolean().default(false).describe('only say what would go'),
  }),
  output: z.strictObject({ tasks: z.int(), requests: z.int(), blobs: z.int(), dryRun: z.boolean() }),
  faults: ['unavailable'],
});
