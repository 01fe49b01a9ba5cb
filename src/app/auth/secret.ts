import { createHash, randomBytes } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { Fault } from '../../domain/fault.ts';
import { hasCode, makeOnceSync } from '../../platform/files.ts';

type Env = Readonly<Record<string, string | undefined>>;

const SECRET_BYTES = 32;
const PLACEHOLDER = /^(.)\1*$|change.?me|secret|password|example|placeholder|your[-_ ]|default|test|dummy|todo/i;

/**
 * What every token of this home is signed with: 32 random bytes, made once and kept, so that a restart logs nobody out.
 * Of several processes that make it at the same time one wins, and all read the same.
 */
export async function signingSecret(file: string, env: Env): Promise<Uint8Array> {
  const given = env['FLEET_SECRET'];
  if (given !== undefined) return fromEnvironment(given);
  return (await kept(file)) ?? (await made(file));
}

function fromEnvironment(given: string): Uint8Array {
  if (Buffer.byteLength(given) < SECRET_BYTES)
    throw new Fault('invalid', `FLEET_SECRET has ${Buffer.byteLength(given)} bytes, at least ${SECRET_BYTES} are needed`, {
      hint: 'unset it and Fleet makes one of its own, or make one with: openssl rand -base64 32',
    });
  if (PLACEHOLDER.test(given))
    throw new Fault('invalid', 'FLEET_SECRET looks like a placeholder that others may know', {
      hint: 'unset it and Fleet makes one of its own, or make one with: openssl rand -base64 32',
    });
  return createHash('sha256').update(given).digest();
}

async function kept(file: string): Promise<Uint8Array | undefined> {
  const facts = await lstat(file).catch(unlessAbsent);
  if (!facts) return undefined;
  if (!facts.isFile()) throw new Fault('unavailable', `${file} is not a plain file: move it away, and Fleet makes a new one`);
  if ((facts.mode & 0o077) !== 0)
    throw new Fault('unavailable', `${file} can be read by others, so whatever it signs proves nothing`, {
      hint: `delete it, and Fleet makes a new one; every token must then be made again`,
    });
  const secret = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64url');
  if (secret.length !== SECRET_BYTES)
    throw new Fault('unavailable', `${file} does not hold a secret of ${SECRET_BYTES} bytes`, {
      hint: 'delete it, and Fleet makes a new one; every token must then be made again',
    });
  return secret;
}

async function made(file: string): Promise<Uint8Array> {
  makeOnceSync(file, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`);
  const secret = await kept(file);
  if (!secret) throw new Fault('unavailable', `${file} was taken away while it was made: try again`);
  return secret;
}

function unlessAbsent(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
