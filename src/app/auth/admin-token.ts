import type { Token } from '../../domain/token/token.ts';
import { type Instant, instantOf, msOf, type TokenId } from '../../domain/values.ts';
import { writeFileAtomic } from '../../platform/files.ts';
import type { Store } from '../../store/port.ts';
import { creationWrites } from '../../store/records/journal.ts';
import { tokens } from '../../store/records/tokens.ts';
import type { TextSigner } from './signer.ts';
import { adminToken } from './token-file.ts';

const DAY_MS = 86_400_000;
const LASTS_MS = 365 * DAY_MS;
const RENEWED_MS = 60 * DAY_MS;

interface Surroundings {
  readonly store: Store;
  readonly signer: TextSigner;
  readonly file: string;
  readonly person: string;
  now(): Instant;
  tokenId(): TokenId;
  /** Does each of the writes, trying again where that makes sense. */
  written(write: () => Promise<unknown>): Promise<void>;
}

/** The key of whoever owns the home: made at the first start, renewed long before it ends, readable by its owner alone. */
export async function ensureAdminToken(house: Surroundings): Promise<void> {
  const text = await adminToken(house.file);
  if (text !== undefined && (await isGood(text, house))) return;
  const now = house.now();
  const token: Token = {
    id: house.tokenId(),
    seq: 1,
    name: house.person,
    role: 'admin',
    createdBy: 'fleet',
    owner: true,
    createdAt: now,
    expiresAt: instantOf(msOf(now) + LASTS_MS),
  };
  const writes = creationWrites(tokens, token, { by: 'fleet', at: now }, { what: 'made', why: 'the owner of this home' });
  await house.written(() => house.store.commit(writes, { flush: true }));
  const signed = await house.signer.sign(token);
  await house.written(() => writeFileAtomic(house.file, `${signed}\n`));
}

async function isGood(text: string, { signer, store, now }: Surroundings): Promise<boolean> {
  try {
    const claims = await signer.read(text, msOf(now()));
    const row = claims.role === 'admin' ? await tokens.get(store, claims.jti) : undefined;
    return row?.body.owner === true && !row.body.revokedAt && msOf(row.body.expiresAt) - msOf(now()) > RENEWED_MS;
  } catch {
    // Of another secret, or too old: whatever it is, it opens nothing.
    return false;
  }
}
