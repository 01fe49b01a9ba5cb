/** The phases of a task, in the order of its life. A file without schemas, for code that only shows phases. */
export const PHASE_STATES = [
  'draft',
  'waiting',
  'queued',
  'running',
  'verifying',
  'merging',
  'done',
  'blocked',
  'failed',
  'canceled',
] as const;
export type PhaseState = (typeof PHASE_STATES)[number];

export const isFinal = ({ state }: { readonly state: PhaseState }): boolean =>
  state === 'done' || state === 'failed' || state === 'canceled';
