import type { SignInLink } from '../../domain/token/link.ts';
import { isTokenValid, type Token } from '../../domain/token/token.ts';
import type { Instant } from '../../domain/values.ts';
import type { Row, Write } from '../../store/port.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { links, tokens } from '../../store/records/tokens.ts';
import type { Amendment } from '../../store/sqlite/upkeep/amend.ts';

/**
 * A token of a backup opens something after the restore only if it did so right before: nobody gets back in by bringing an
 * older database. Where what was there before cannot be read, or the backup comes from another home, that cannot be told, and
 * none of its tokens opens anything. The same holds for links, which are good for minutes anyway.
 */
export function keysAfterRestore(at: Instant): Amendment & { told(): { revoked: number; gone: number } } {
  const told = { revoked: 0, gone: 0 };
  return {
    kinds: [tokens.kind, links.kind],
    writes: (restored, before) => {
      const open = new Set((before ?? []).filter(of(tokens.kind)).flatMap((row) => openIn(row, at)));
      const known = new Set(restored.map(({ key }) => key.id));
      told.gone = [...open].filter((id) => !known.has(id)).length;
      const closed = restored.filter(of(tokens.kind)).filter((row) => openIn(row, at).some((id) => !open.has(id)));
      told.revoked = closed.length;
      return [...closed.flatMap((row) => revoked(row, at)), ...restored.filter(of(links.kind)).flatMap((row) => spent(row, at))];
    },
    told: () => told,
  };
}

const of = (kind: string) => (row: Row) => row.key.kind === kind;

const openIn = (row: Row, at: Instant): string[] => (isTokenValid(tokens.read(row), at) ? [row.key.id] : []);

function revoked(row: Row, at: Instant): Write[] {
  const token: Token = { ...tokens.read(row), revokedAt: at };
  const note = { what: 'revoked', why: 'an older database was put in place, and it did not open anything right before' };
  return changeWrites(tokens, row, token, { author: { by: 'fleet', at }, note });
}

function spent(row: Row, at: Instant): Write[] {
  const link: SignInLink = links.read(row);
  return link.taken !== undefined || link.expiresAt <= at ? [] : [links.put({ ...link, expiresAt: at }, row.version)];
}
