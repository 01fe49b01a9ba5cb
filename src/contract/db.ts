import { z } from 'zod';
import { Path } from '../domain/values.ts';
import { operation } from './operation.ts';

export const migrateDb = operation({
  name: 'db.migrate',
  kind: 'command',
  role: 'admin',
  summary: 'Upgrade the database to the schema of this program; does nothing if it is current.',
  input: z.strictObject({}),
  output: z.strictObject({ file: z.string(), schema: z.int() }),
  faults: ['unavailable'],
});

export const checkDb = operation({
  name: 'db.check',
  kind: 'query',
  role: 'admin',
  summary: 'Check the database for damage, without changing it.',
  input: z.strictObject({}),
  output: z.strictObject({
    file: z.string(),
    ok: z.boolean(),
    rows: z.int(),
    findings: z.array(z.string()),
    advice: z.string().optional().describe('what to do about the damage'),
  }),
  faults: ['unavailable'],
});

export const backupDb = operation({
  name: 'db.backup',
  kind: 'command',
  role: 'admin',
  summary: 'Back up the whole database, long texts included, into one file while the fleet runs.',
  input: z.strictObject({ file: Path.optional().describe('file to create; by default one in backups/ of the home') }),
  output: z.strictObject({ file: z.string(), bytes: z.int(), blobs: z.int() }),
  faults: ['invalid', 'conflict', 'unavailable'],
});

const TokensLost = z
  .strictObject({
    revoked: z.int().describe('tokens of the backup that stay invalid, because they were or may have been revoked since'),
    gone: z.int().describe('tokens created after the backup, which no longer exist'),
  })
  .describe('tokens that are invalid afterwards; a restore never makes a revoked token valid');

export const restoreDb = operation({
  name: 'db.restore',
  kind: 'command',
  role: 'admin',
  summary: 'Replace the database with a backup, and keep a copy of the old one.',
  input: z.strictObject({ file: Path.describe('backup to restore') }),
  output: z.strictObject({ file: z.string(), kept: z.string().optional(), rows: z.int(), tokens: TokensLost }),
  faults: ['invalid', 'not_found', 'conflict', 'unavailable'],
});

export const acceptDb = operation({
  name: 'db.accept',
  kind: 'command',
  role: 'admin',
  summary: 'Accept a database that was emptied or has lost its write-ahead log, and go on without the lost rows.',
  input: z.strictObject({}),
  output: z.strictObject({ file: z.string(), rows: z.int(), lostCommits: z.int(), tokens: TokensLost }),
  faults: ['conflict', 'unavailable'],
});

export const exportDb = operation({
  name: 'db.export',
  kind: 'command',
  role: 'admin',
  summary: 'Export every row as JSON Lines to a file.',
  input: z.strictObject({ file: Path.describe('file to create') }),
  output: z.strictObject({ file: z.string(), rows: z.int() }),
  faults: ['invalid', 'conflict', 'unavailable'],
});

export const pruneDb = operation({
  name: 'db.prune',
  kind: 'command',
  role: 'admin',
  summary: 'Delete finished tasks older than the retention time, old request answers and unused texts.',
  input: z.strictObject({
    olderThanDays: z.int().min(0).max(36_500).optional().describe('age in days instead of the setting retention_days'),
    dryRun: z.boolean().default(false).describe('only show what would be deleted'),
  }),
  output: z.strictObject({ tasks: z.int(), requests: z.int(), blobs: z.int(), dryRun: z.boolean() }),
  faults: ['unavailable'],
});
