import { Fault } from '../domain/fault.ts';
import { nearest } from '../platform/nearest.ts';
import type { Executor } from './executor.ts';

/** The executors of a house: those that come with it, and those its owner added. */
export interface Registry {
  readonly names: readonly string[];
  /** Added ones that are left out, and why: a name of ours cannot be taken. */
  readonly remarks: readonly string[];
  executorByName(name: string): Executor;
}

export function registry(builtIn: readonly Executor[], custom: readonly Executor[] = []): Registry {
  const byName = new Map([...custom, ...builtIn].map((executor) => [executor.name, executor]));
  const names = [...byName.keys()].toSorted();
  return {
    names,
    remarks: custom
      .filter((executor) => byName.get(executor.name) !== executor)
      .map(({ name }) => `executors/${name}.toml is left out: fleet has an executor ${name}; give the file another name`),
    executorByName(name) {
      const found = byName.get(name);
      if (found) return found;
      const candidate = nearest(name, names);
      const hint = candidate === undefined ? `there are ${names.join(', ')}` : `did you mean ${candidate}?`;
      throw new Fault('not_found', `no executor is called ${JSON.stringify(name)}; ${hint}`, { executor: name });
    },
  };
}
