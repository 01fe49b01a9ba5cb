import type { Task } from './task.ts';

/** The attempts that count against `maxAttempts`. */
export const countedAttempts = ({ attempts, uncounted }: Pick<Task, 'attempts' | 'uncounted'>): number => attempts - uncounted;
