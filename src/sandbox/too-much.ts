import type { SandboxLimits } from './limits.ts';

const MB = 1024 * 1024;
export const inMb = (bytes: number): number => Math.round(bytes / MB);

/** The same words whoever has noticed it. */
export const tooMuchMemory = (bytes: number, { memoryBytes }: SandboxLimits): string =>
  `it used ${inMb(bytes)} MB of memory, sandbox_memory_mb allows ${inMb(memoryBytes)}`;

export const tooManyTasks = (count: number, { processes, tasks }: SandboxLimits): string =>
  `it had ${count} processes and threads at once, max_processes allows ${processes} processes and ${tasks} of both`;
