import { expect, it } from 'vitest';
import type { Executor } from './executor.ts';
import { registry } from './registry.ts';

const executor = (name: string): Executor => ({
  name,
  can: { resume: false, steer: false, ask: false, usage: false },
  launch: () => ({ command: 'true', args: [], env: {}, files: [], mode: 'oneway' }),
  begin: () => ({ state: null, events: [], send: [] }),
  step: (state) => ({ state, events: [], send: [] }),
  say: () => undefined,
  answer: () => undefined,
  exit: () => [],
});

it('finds executors by name, and says which there are', () => {
  const { names, executorByName } = registry([executor('scripted')], [executor('mine')]);
  expect(names).toEqual(['mine', 'scripted']);
  expect(executorByName('mine').name).toBe('mine');
  expect(() => executorByName('script')).toThrow('no executor is called "script"; did you mean scripted?');
  expect(() => executorByName('constructor')).toThrow('there are mine, scripted');
});

it('lets nobody take a name that comes with fleet', () => {
  const own = executor('scripted');
  const { executorByName, remarks } = registry([own], [executor('scripted')]);
  expect(executorByName('scripted')).toBe(own);
  expect(remarks).toEqual(['executors/scripted.toml is left out: fleet has an executor scripted; give the file another name']);
});
