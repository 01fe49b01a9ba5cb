import { isFault } from '../../src/domain/fault.ts';
import { memoryHouse } from './memory-house.ts';

/** The refusal of a call that must be refused. */
export const refused = async (promise: Promise<unknown>): Promise<{ code: string; message: string }> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isFault(error)) throw new Error('it was not refused', { cause: error });
  return { code: error.code, message: error.message };
};

/** A memory house with one project, and a short way to give it work. */
export async function withProject() {
  const house = memoryHouse();
  await house.call('project.add', { path: '/repo', name: 'shop' });
  const create = (prompt: string, more: object = {}) => house.call('task.create', { project: 'shop', prompt, ...more });
  return { ...house, create };
}
