import { createHash } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import type { ModelAnswer } from './answer.ts';
import type { ModelConversation } from './conversation.ts';
import type { FaultKind } from './provider-faults.ts';
import type { AnswerPlan, FaultPlan } from './scenario/scenario.ts';

/** One request for an answer, and its outcome. */
export interface Exchange {
  readonly protocol: string;
  readonly model: string;
  readonly conversation: ModelConversation;
  /** A side request without tools, for a title and the like. No scenario is played to it. */
  readonly isBeside: boolean;
  readonly answer?: ModelAnswer | undefined;
  readonly fault?: FaultKind | undefined;
  /** The body as received, for what protocols do not have in common. */
  readonly body: unknown;
}

/** The record of one run: of one address that a test or a person gave to agents. */
export interface RunRecord {
  readonly exchanges: Exchange[];
  /** Needs of the scenario that the agent did not provide, and invalid requests. */
  readonly problems: string[];
  /** The fault for the next request for this answer in this conversation, if one is left. Counts the request. */
  nextFault(plan: AnswerPlan, conversation: ModelConversation): FaultPlan | undefined;
  /** Waits at the gate until `release`. */
  waitForRelease(signal: AbortSignal): Promise<void>;
  /** Releases all requests at the gate, or else the next one. */
  release(): void;
}

export interface Ledger {
  record(run: string): RunRecord;
  known(run: string): RunRecord | undefined;
  /** Records an exchange, and drops the oldest ones if all together are too large. */
  addExchange(run: string, exchange: Exchange, bytes: number): void;
}

/** Opens a ledger, whose size is bounded. */
export function openLedger(most = LIMITS.simulatedBytes.value): Ledger {
  const pages = new Map<string, RunRecord>();
  const kept: { readonly page: RunRecord; readonly bytes: number }[] = [];
  let total = 0;
  const page = (run: string): RunRecord => {
    const found = pages.get(run) ?? makePage();
    pages.set(run, found);
    const [oldest] = pages.keys();
    if (pages.size > LIMITS.simulatedRuns.value && oldest !== undefined) pages.delete(oldest);
    return found;
  };
  return {
    record: page,
    known: (run) => pages.get(run),
    addExchange: (run, exchange, bytes) => {
      const runPage = page(run);
      runPage.exchanges.push(exchange);
      kept.push({ page: runPage, bytes });
      total += bytes;
      while (total > most && kept.length > 1) {
        const oldest = kept.shift();
        oldest?.page.exchanges.shift();
        total -= oldest?.bytes ?? 0;
      }
    },
  };
}

function makePage(): RunRecord {
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  let isOpen = false;
  return {
    exchanges: [],
    problems: [],
    nextFault: (plan, conversation) => {
      if (plan.faults.length === 0) return undefined;
      const places = keysOf(conversation);
      const place = places.find((known) => counts.has(known)) ?? places.at(-1) ?? '';
      const before = counts.get(place) ?? 0;
      counts.set(place, before + 1);
      const [oldest] = counts.keys();
      if (counts.size > LIMITS.simulatedFaults.value && oldest !== undefined) counts.delete(oldest);
      return faultAt(plan.faults, before);
    },
    waitForRelease: (signal) =>
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

/** The task id that Fleet puts into each prompt. */
const TASK = /\btask_[0-9a-z]{26}\b/;

/**
 * Keys that identify the answer of a conversation. Agents at one address are told apart by their task, so that an agent that starts
 * anew meets the remaining faults, or else by their opening texts. A conversation without an answer may have grown, so each
 * beginning of its opening is a possible key.
 */
function keysOf({ opening, turn, answers }: ModelConversation): readonly string[] {
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
