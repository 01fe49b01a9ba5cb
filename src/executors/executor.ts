/** The contract of the family, in the house's own words; the engine knows it without knowing this room. */
export { type AgentEvent, type Executor, type Job, type Step, VERDICTS } from '../domain/agent/executor.ts';
