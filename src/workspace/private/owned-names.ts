import { randomUUID } from 'node:crypto';
import { identityOf, ownIdentity } from '../../platform/process-identity.ts';

const NAME = /^(scratch|in|renew|agent-git)-(\d+)-(\w+)-[0-9a-f-]{36}(-before)?$/;

type Kind = 'scratch' | 'in' | 'renew' | 'agent-git';

/** A name for something half-done that tells which process is at it: another one takes away only what a dead process left. */
export const ownedName = async (kind: Kind): Promise<string> =>
  `${kind}-${process.pid}-${(await ownIdentity()).started}-${randomUUID()}`;

export interface Abandoned {
  readonly kind: Kind;
  readonly name: string;
  /** The agent's git directory of before, moved aside when a new one was about to take its place. */
  readonly isBefore: boolean;
}

/** Undefined for every other name, and for what a living process is at. */
export async function abandoned(name: string): Promise<Abandoned | undefined> {
  const [, kind, pid, started, before] = NAME.exec(name) ?? [];
  if (kind === undefined || (await identityOf(Number(pid)))?.started === started) return undefined;
  return { kind: kind as Kind, name, isBefore: before !== undefined };
}
