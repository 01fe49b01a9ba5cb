import type { Task } from './task.ts';

/** Attempts that count against the most it may have. */
export const countedAttempts = ({ attempts, uncounted }: Pick<Task, 'attempts' | 'uncounted'>): number => attempts - uncounted;
