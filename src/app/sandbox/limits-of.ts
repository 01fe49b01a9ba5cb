import { totalmem } from 'node:os';
import type { Settings } from '../../domain/settings.ts';
import type { SandboxLimits } from '../../sandbox/limits.ts';
import type { ViewResult } from './view.ts';

const MB = 1024 * 1024;
/** Threads are counted with processes, and programs have many of them. */
const TASKS = 16;

type Wanted = Pick<Settings, 'sandbox_memory_mb' | 'sandbox_disk_mb' | 'sandbox_cpus' | 'max_processes' | 'max_concurrent'>;

/** What a run in a sandbox may take of the machine. What it may change that is the user's own is not measured. */
export function limitsOf(settings: Wanted, { view, own }: Pick<ViewResult, 'view' | 'own'>): SandboxLimits {
  const { sandbox_memory_mb, sandbox_disk_mb, sandbox_cpus, max_processes, max_concurrent } = settings;
  return {
    memoryBytes: sandbox_memory_mb === undefined ? Math.floor(totalmem() * 0.75) : sandbox_memory_mb * MB,
    inMemory: { places: [...view.hidden, '/dev/shm'], eachBytes: view.memoryBytes },
    processes: max_processes,
    tasks: max_processes * TASKS,
    userTasks: max_processes * TASKS * max_concurrent,
    diskBytes: sandbox_disk_mb * MB,
    ...(sandbox_cpus === undefined ? {} : { cpus: sandbox_cpus }),
    directories: [...new Set([view.directory, ...own])],
  };
}
