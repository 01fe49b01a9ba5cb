import { createHmac } from 'node:crypto';
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { Role } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import type { Token } from '../../domain/token/token.ts';
import { instantOf, type LinkId, msOf, Name, RunId, TaskId, TokenId } from '../../domain/values.ts';

/** One algorithm, one audience: what a token says of itself is not asked. */
const ALGORITHM = 'HS256';
const WHO = 'fleet';
const RUN_SECONDS = 90 * 86_400;

const seconds = (instant: string): number => Math.floor(msOf(instant) / 1_000);

const times = { iss: z.literal(WHO), aud: z.literal(WHO), iat: z.int(), nbf: z.int(), exp: z.int() };
const Claims = z.union([
  z.strictObject({
    ...times,
    jti: TokenId,
    sub: Name,
    role: z.union([Role, z.literal('host')]),
    team: Name.optional(),
    host: Name.optional(),
  }),
  z.strictObject({ ...times, jti: RunId, sub: RunId, role: z.literal('run'), task: TaskId }),
]);
export type Claims = z.infer<typeof Claims>;

export interface TextSigner {
  /** The same token gives the same text. */
  sign(token: Token): Promise<string>;
  /** The code of a link, which nobody else can make. */
  codeOf(link: LinkId): Promise<string>;
  /** The token of one run: it opens what that run may do, for as long as it runs. */
  signRun(run: { readonly id: RunId; readonly taskId: TaskId; readonly createdAt: string }): Promise<string>;
  /** What a text that we have signed says, if its time has come and is not over. */
  read(text: string, now: number): Promise<Claims>;
}

export function signerOf(secret: Uint8Array): TextSigner {
  // Here and now: the way through the library goes over other threads, and every start of an agent would wait for it.
  const signed = (claims: Record<string, unknown>, from: number, until: number): string => {
    const said = { iss: WHO, aud: WHO, ...claims, iat: from, nbf: from, exp: until };
    const text = [{ alg: ALGORITHM }, said].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  return {
    sign: async ({ id, name, role, team, host, createdAt, expiresAt }) =>
      signed(
        { jti: id, sub: name, role, ...(team === undefined ? {} : { team }), ...(host === undefined ? {} : { host }) },
        seconds(createdAt),
        seconds(expiresAt),
      ),
    codeOf: async (link) => {
      const mac = createHmac('sha256', secret).update(`link ${link}`).digest('base64url');
      return `${link.slice('link_'.length)}.${mac}`;
    },
    signRun: async ({ id, taskId, createdAt }) =>
      signed({ jti: id, sub: id, role: 'run', task: taskId }, seconds(createdAt), seconds(createdAt) + RUN_SECONDS),
    read: async (text, now) => {
      if (!isCanonical(text)) throw new Fault('unauthenticated', 'the token is not one of this fleet');
      const verified = await jwtVerify(text, secret, {
        algorithms: [ALGORITHM],
        audience: WHO,
        issuer: WHO,
        requiredClaims: ['exp', 'nbf', 'jti', 'sub'],
        currentDate: new Date(now),
      }).catch((error: unknown) => {
        throw refused(error);
      });
      const claims = Claims.safeParse(verified.payload);
      if (!claims.success) throw new Fault('unauthenticated', 'the token does not say what a token of this fleet says');
      return claims.data;
    },
  };
}

/** The last letter of a part holds bits that say nothing: one token has one text, so that nobody is many by changing them. */
const isCanonical = (text: string): boolean =>
  text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

function refused(error: unknown): Fault {
  const expired = error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
  return new Fault(
    'unauthenticated',
    expired ? 'the token has expired' : 'the token is not one of this fleet',
    {},
    { cause: error },
  );
}

export const untilOf = ({ exp }: Claims): string => instantOf(exp * 1_000);
