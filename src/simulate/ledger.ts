import { createHash } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import type { Answer } from './answer.ts';
import type { Conversation } from './conversation.ts';
import type { AnswerPlan, FaultPlan } from './scenario/scenario.ts';
import type { FaultKind } from './trouble.ts';

/** One request for an answer, and what came of it. */
export interface Exchange {
  readonly protocol: string;
  readonly model: string;
  readonly conversation: Conversation;
  /** It offered no tools: agents ask for titles and the like on the side, and no scenario plays there. */
  readonly isBeside: boolean;
  readonly answer?: Answer | undefined;
  readonly fault?: FaultKind | undefined;
  /** As it came, for what no protocol has in common with another. */
  readonly body: unknown;
}

/** What is remembered of one run: one address that a test or a person gave to agents. */
export interface RunPage {
  readonly exchanges: Exchange[];
  /** What the scenario wanted and the agent did not offer, and what nobody could read. */
  readonly problems: string[];
  /** Which fault meets the next request for that answer in this conversation, if one is left. Counts the request. */
  nextFault(plan: AnswerPlan, conversation: Conversation): FaultPlan | undefined;
  /** Resolves when it is let go. */
  held(signal: AbortSignal): Promise<void>;
  /** Lets go whoever is held, or else the next who would be. */
  release(): void;
}

export interface Ledger {
  page(run: string): RunPage;
  known(run: string): RunPage | undefined;
  /** Remembers it, and forgets the oldest for it when all together is too much. */
  note(run: string, exchange: Exchange, bytes: number): void;
}

/** Remembers what was asked, within limits. */
export function openLedger(most = LIMITS.simulatedBytes.value): Ledger {
  const pages = new Map<string, RunPage>();
  const kept: { readonly page: RunPage; readonly bytes: number }[] = [];
  let total = 0;
  const page = (run: string): RunPage => {
    const found = pages.get(run) ?? makePage();
    pages.set(run, found);
    const [oldest] = pages.keys();
    if (pages.size > LIMITS.simulatedRuns.value && oldest !== undefined) pages.delete(oldest);
    return found;
  };
  return {
    page,
    known: (run) => pages.get(run),
    note: (run, exchange, bytes) => {
      const noted = page(run);
      noted.exchanges.push(exchange);
      kept.push({ page: noted, bytes });
      total += bytes;
      while (total > most && kept.length > 1) {
        const oldest = kept.shift();
        oldest?.page.exchanges.shift();
        total -= oldest?.bytes ?? 0;
      }
    },
  };
}

function makePage(): RunPage {
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  let isOpen = false;
  return {
    exchanges: [],
    problems: [],
    nextFault: (plan, conversation) => {
      if (plan.faults.length === 0) return undefined;
      const places = placesOf(conversation);
      const place = places.find((known) => counts.has(known)) ?? places.at(-1) ?? '';
      const before = counts.get(place) ?? 0;
      counts.set(place, before + 1);
      const [oldest] = counts.keys();
      if (counts.size > LIMITS.simulatedFaults.value && oldest !== undefined) counts.delete(oldest);
      return faultAt(plan.faults, before);
    },
    held: (signal) =>
      new Promise((resolve) => {
        if (isOpen || signal.aborted) {
          isOpen &&= signal.aborted;
          return resolve();
        }
        const go = () => {
          waiting.delete(go);
          resolve();
        };
        waiting.add(go);
        signal.addEventListener('abort', go, { once: true });
      }),
    release: () => {
      isOpen = waiting.size === 0;
      for (const go of waiting) go();
    },
  };
}

/** Fleet tells each of its agents which task it works on. */
const TASK = /\btask_[0-9a-z]{26}\b/;

/**
 * Agents that share an address are told apart by the task they work on, so that one that begins anew meets what is left of
 * the faults, or else by how they began. One that was never answered and is told more has two beginnings in a row: it is
 * still where the first of them was.
 */
function placesOf({ opening, turn, answers }: Conversation): readonly string[] {
  const task = opening.map((said) => TASK.exec(said)?.[0]).find((found) => found !== undefined);
  if (task !== undefined) return [`${task} ${turn} ${answers}`];
  const hash = createHash('sha256');
  return opening.map((said) => {
    hash.update(`${said.length} ${said}`);
    return `${hash.copy().digest('base64url').slice(0, 16)} ${turn} ${answers}`;
  });
}

function faultAt(faults: readonly FaultPlan[], request: number): FaultPlan | undefined {
  let before = 0;
  return faults.find(({ times }) => {
    before += times;
    return request < before;
  });
}
