import type { DemoLane, DemoStage } from './lanes.ts';

/** Something that has happened, told in one line. */
export interface Beat {
  /** The same for the same thing, however often one looks. */
  readonly key: string;
  readonly lane: string;
  readonly kind: 'going' | 'good' | 'bad' | 'person';
  readonly text: string;
}

/** Everything that has happened in these lanes so far, in the order of each lane. */
export const beatsOf = (lanes: readonly DemoLane[]): Beat[] =>
  lanes.flatMap((lane) =>
    lane.stages.flatMap((stage, index) =>
      tell(stage, lane).map(({ kind, text }) => ({ key: `${lane.name} ${index} ${kind}`, lane: lane.name, kind, text })),
    ),
  );

type Told = Pick<Beat, 'kind' | 'text'>;

/** A stage that has ended has also begun, though nobody may have looked in between. */
function tell({ name, state, commit = 'its commit', found = '' }: DemoStage, { title }: DemoLane): Told[] {
  if (state === 'ahead') return [];
  const begun = BEGUN[name](title);
  if (state === 'going') return begun;
  if (state === 'bad') {
    const why = found === '' ? '' : `: ${found}`;
    return [...begun, { kind: 'bad', text: name === 'gate' ? `the gate says no${why}` : `${name} went wrong` }];
  }
  return [...begun, { kind: 'good', text: ENDED[name](commit) }];
}

const BEGUN: Readonly<Record<DemoStage['name'], (title: string) => Told[]>> = {
  agent: (title) => [{ kind: 'going', text: `an agent begins: ${title}` }],
  repair: () => [{ kind: 'going', text: 'the same agent is told what the gate found, and goes on' }],
  gate: () => [],
  land: () => [],
};

const ENDED: Readonly<Record<DemoStage['name'], (commit: string) => string>> = {
  agent: () => 'it says that it is done',
  repair: () => 'it says that it is repaired',
  gate: (commit) => `the gate agrees to ${commit}`,
  land: (commit) => `landed on main as ${commit}`,
};
