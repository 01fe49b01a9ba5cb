import type { Caller } from '../../domain/authority.ts';
import { callerOf } from '../http/admission.ts';
import type { Web, WebContext, WebDeps } from '../http/web.ts';
import { readsFigures } from './metrics.ts';

/** Why a fleet is not well; words for programs, and nothing about its work. */
export const AILMENTS = [
  'starting',
  'no_engine',
  'store_damaged',
  'disk_full',
  'disk_low',
  'store_silent',
  'store_slow',
  'event_loop_slow',
  'settings_problem',
] as const;
/** With these nothing can be accepted. */
const DEAF: readonly Ailment[] = ['store_silent', 'store_damaged', 'disk_full'];
export type Ailment = (typeof AILMENTS)[number];

export interface HealthAnswer {
  readonly status: 'ok' | 'degraded';
  readonly reasons: readonly Ailment[];
  readonly version: string;
  readonly uptimeSeconds: number;
  /** Whether the process that answers holds the lease of the engine. */
  readonly engine: boolean;
  readonly eventLoop: { readonly lagMs: number; readonly busy: number };
  readonly store: { readonly latencyMs?: number; readonly answeredSecondsAgo: number };
}

export interface HealthDeps extends Pick<WebDeps, 'identify'> {
  health(): HealthAnswer;
  /** What is told only to those who may know it. */
  details(): Readonly<Record<string, unknown>>;
}

const IDENTIFY_MS = 1_000;

/** Answers from what was seen last: neither store nor disk is asked, so it answers also when they do not. */
export function mountHealth(web: Web, needs: HealthDeps): void {
  web.get('/health', async (asked) => {
    const caller = await whoAsks(asked, needs);
    const health = needs.health();
    const told = caller && readsFigures(caller) ? { ...health, details: needs.details() } : health;
    return asked.json(told, health.reasons.some((reason) => DEAF.includes(reason)) ? 503 : 200);
  });
}

/** Nobody is turned away here: a token that is not good, or cannot be looked at now, shows what everybody sees. */
async function whoAsks(asked: WebContext, needs: HealthDeps): Promise<Caller | undefined> {
  const { authorization } = asked.env.incoming.headers;
  if (authorization === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), IDENTIFY_MS);
  });
  const known = callerOf(authorization, undefined, needs).catch(() => undefined);
  return Promise.race([known, late]).finally(() => clearTimeout(timer));
}
