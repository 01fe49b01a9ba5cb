import type { AgentEvent } from '../executor.ts';

type Ended = Extract<AgentEvent, { type: 'ended' }>;
export type ScriptedVerdict = Ended['verdict'];

/** A step that acts and returns. */
export type ScriptedDeed =
  | { readonly do: 'say' | 'think'; readonly text: string }
  | { readonly do: 'edit' | 'append'; readonly file: string; readonly text: string }
  | { readonly do: 'run'; readonly command: string; readonly args: readonly string[] }
  | { readonly do: 'commit'; readonly message: string }
  | { readonly do: 'report'; readonly report: unknown }
  | { readonly do: 'recall' }
  | { readonly do: 'flood' | 'line' | 'binary'; readonly bytes: number }
  | { readonly do: 'daemonise'; readonly ms: number }
  | {
      readonly do: 'spend';
      readonly input: number;
      readonly output: number;
      readonly costUsd?: number;
      readonly model?: string;
    }
  | { readonly do: 'context'; readonly tokens: number; readonly limit?: number }
  | { readonly do: 'quota'; readonly window: string; readonly used: number; readonly seconds?: number }
  | { readonly do: 'limited'; readonly seconds?: number; readonly why?: string }
  | { readonly do: 'mark'; readonly file: string };

/** A step that waits, signals or ends. */
export type ScriptedPause =
  | { readonly do: 'ask'; readonly kind: 'question' | 'permission'; readonly text: string; readonly options: readonly string[] }
  | { readonly do: 'listen'; readonly messages: number }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'hang' | 'linger' }
  | { readonly do: 'crash' | 'exit'; readonly code: number }
  | { readonly do: 'signal' | 'ignore'; readonly signal: Signal }
  | { readonly do: 'end'; readonly verdict: ScriptedVerdict; readonly summary: string };

export type ScriptedAct = ScriptedDeed | ScriptedPause;

const pauses: Readonly<Record<ScriptedPause['do'], true>> = {
  ask: true,
  listen: true,
  sleep: true,
  hang: true,
  linger: true,
  crash: true,
  exit: true,
  signal: true,
  ignore: true,
  end: true,
};
export const isPause = (act: ScriptedAct): act is ScriptedPause => Object.hasOwn(pauses, act.do);

/** Whether a step needs a two-way agent. */
export const needsInput = (act: ScriptedAct): boolean => act.do === 'ask' || act.do === 'listen' || act.do === 'linger';

export const SIGNALS = ['KILL', 'TERM', 'INT', 'HUP', 'QUIT', 'SEGV', 'ABRT', 'BUS', 'USR1', 'USR2'] as const;
export type Signal = (typeof SIGNALS)[number];

/** The verdict of a report: any status other than done or blocked is an error. */
export function verdictOf(report: unknown): ScriptedVerdict {
  const status = typeof report === 'object' && report !== null && 'status' in report ? report.status : undefined;
  if (status === 'done') return 'succeeded';
  return status === 'blocked' ? 'blocked' : 'errored';
}
