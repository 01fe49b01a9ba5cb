import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import { type Instant, msOf } from '../domain/values.ts';
import type { Upkeep } from '../operations/home/upkeep.ts';
import { exists, PRIVATE_FILE, temporaryName } from '../platform/files.ts';
import type { RunLog } from '../runlog/port.ts';
import type { Store } from '../store/port.ts';
import { everyHit } from '../store/queries/every-hit.ts';
import { daysBefore, emptyTrash, forgetRequests, forgetTasks } from '../store/queries/sweep.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import { restoreHint } from '../store/sqlite/high-water.ts';
import { SCHEMA } from '../store/sqlite/schema.ts';
import { accept } from '../store/sqlite/upkeep/accept.ts';
import { backup } from '../store/sqlite/upkeep/backup.ts';
import { check } from '../store/sqlite/upkeep/check.ts';
import { exportRows } from '../store/sqlite/upkeep/export-rows.ts';
import { restore } from '../store/sqlite/upkeep/restore.ts';
import { keysAfterRestore } from './auth/after-restore.ts';
import type { HomePaths } from './home.ts';
import { dropLeftovers } from './leftovers.ts';

export interface UpkeepDeps {
  readonly paths: HomePaths;
  readonly texts: RunLog;
  /** Opens the store when it is asked for something. */
  readonly store: Store & { readonly opened: () => Promise<Store> };
  now(): Instant;
}

/** A text may be written a moment before the row that names it: only old ones are looked at. */
const UNNAMED_DAYS = 1;

export const upkeepOf = (needs: UpkeepDeps): Upkeep => ({
  migrate: async () => {
    await needs.store.opened();
    return { file: needs.paths.database, schema: SCHEMA };
  },
  check: async () => {
    const findings = [...(await check(needs.paths.database))];
    return {
      file: needs.paths.database,
      ok: findings.length === 0,
      rows: findings.length === 0 ? await countRows(needs.paths.database) : 0,
      findings,
      ...(findings.length === 0 ? {} : { advice: adviceFor(needs.paths.database) }),
    };
  },
  backup: async (asked) => {
    const target = asked ?? join(needs.paths.backups, `fleet-${stampOf(needs.now())}.db`);
    const report = await backup(needs.paths.database, target, needs.texts);
    return { file: report.target, bytes: report.bytes, blobs: report.blobs };
  },
  restore: async (source) => {
    if (!(await exists(source))) throw new Fault('not_found', `there is no backup ${source}`, { file: source });
    const keys = keysAfterRestore(needs.now());
    const { rows, before } = await restore(needs.paths.database, source, needs.texts, { amendment: keys });
    return { file: needs.paths.database, ...(before ? { kept: before } : {}), rows, tokens: keys.told() };
  },
  accept: async () => {
    const keys = keysAfterRestore(needs.now());
    return { file: needs.paths.database, ...accept(needs.paths.database, keys), tokens: keys.told() };
  },
  export: (target) => exportTo(target, needs.paths.database),
  prune: (days, dryRun) => prune(days, dryRun, needs),
});

/** Nothing is told to be lost that could still be saved. */
const adviceFor = (file: string): string =>
  `stop fleet (\`fleet up --stop\`); ${restoreHint(file)}, and \`fleet db export FILE\` saves what can be read`;

const stampOf = (now: Instant) => now.replaceAll(/[-:.]/g, '');

async function countRows(file: string): Promise<number> {
  let rows = 0;
  for await (const _ of exportRows(file)) rows += 1;
  return rows;
}

/** Appears whole under its name, or not at all. */
async function exportTo(target: string, database: string): Promise<{ file: string; rows: number }> {
  if (await exists(target)) throw new Fault('conflict', `${target} exists already: name a new file`, { file: target });
  const temporary = temporaryName(target);
  let rows = 0;
  try {
    const out = createWriteStream(temporary, { flags: 'wx', mode: PRIVATE_FILE });
    await once(out, 'open');
    for await (const line of exportRows(database)) {
      rows += 1;
      if (!out.write(`${line}\n`)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'close');
    await synced(temporary);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw asRefusal(error, target);
  }
  return { file: target, rows };
}

async function synced(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}

function asRefusal(error: unknown, target: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Fault('invalid', `cannot write ${target}: its directory does not exist`, {}, { cause: error });
  if (code === 'EACCES' || code === 'EROFS')
    return new Fault('unavailable', `cannot write ${target}: this user may not`, {}, { cause: error });
  if (code === 'ENOSPC') return new Fault('unavailable', `cannot write ${target}: the disk is full`, {}, { cause: error });
  return error;
}

async function prune(
  days: number,
  dryRun: boolean,
  { store, texts, now, paths }: UpkeepDeps,
): Promise<{ tasks: number; requests: number; blobs: number }> {
  const forgotten = await forgetTasks(store, daysBefore(now(), days), dryRun);
  const requests = await forgetRequests(store, daysBefore(now(), LIMITS.idempotencyDays.value), dryRun);
  if (!dryRun) while ((await emptyTrash(store)) > 0);
  if (!dryRun) await dropLeftovers(store, paths);
  return {
    tasks: forgotten,
    requests,
    blobs: await dropUnnamed(store, texts, { before: msOf(daysBefore(now(), UNNAMED_DAYS)), dryRun }),
  };
}

/** Texts that no row names. */
async function dropUnnamed(
  store: Store,
  texts: RunLog,
  { before, dryRun }: { before: number; dryRun: boolean },
): Promise<number> {
  const named = new Set<string>();
  for await (const hit of everyHit(store, taskIndex.all)) {
    const { prompt } = tasks.read(hit);
    if ('blob' in prompt) named.add(prompt.blob);
  }
  let dropped = 0;
  for await (const name of texts.listBlobs(before)) {
    if (named.has(name)) continue;
    if (!dryRun) await texts.removeBlob(name);
    dropped += 1;
  }
  return dropped;
}
