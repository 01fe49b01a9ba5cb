/** The contract of all executors. It is declared in `domain`, so that the engine can use it without importing this room. */
export { type AgentEvent, type Executor, type Job, type Step, VERDICTS } from '../domain/agent/executor.ts';
