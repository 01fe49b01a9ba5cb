import { systemClock } from '../../src/platform/clock.ts';
import { builtInScenarios } from '../../src/simulate/scenario/built-in.ts';
import { openSimulator, type Simulator } from '../../src/simulate/simulator.ts';

/** A model for real agents, in this process, with every scenario that everybody has. */
export const modelServer = (): Promise<Simulator> => openSimulator({ clock: systemClock, scenarios: builtInScenarios() });
