import type { PathLike } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, expectTypeOf, it } from 'vitest';
import { type AgentPath, agentPath, below, belowPlace, inDirectory, partsOf, pathForArguments } from './agent-path.ts';

it('is nothing that node:fs takes, for the compiler and for itself', async () => {
  expectTypeOf<AgentPath>().not.toExtend<PathLike>();
  expectTypeOf<AgentPath>().not.toExtend<{ readonly root: string }>();
  expectTypeOf<string>().not.toExtend<AgentPath>();
  expectTypeOf<{ readonly root: string; readonly relative: string }>().not.toExtend<AgentPath>();
  const path = agentPath('/', 'etc/hostname');
  expect(() => path[Symbol.toPrimitive]()).toThrow('is no text');
  await expect(readFile(path as unknown as string)).rejects.toThrow('path');
  expect(JSON.stringify(path)).toBe('{}');
});

it('keeps its root and grows below it alone', () => {
  expect(partsOf(below(below(agentPath('/place/tasks', ''), 'task_1'), 'artifacts'))).toEqual({
    root: '/place/tasks',
    relative: 'task_1/artifacts',
  });
  expect(partsOf(belowPlace('/place/runs/run_1/out'))).toEqual({ root: '/place/runs', relative: 'run_1/out' });
  expect(partsOf(inDirectory('/place/key'))).toEqual({ root: '/place', relative: 'key' });
  expect(pathForArguments(belowPlace('/place/runs/run_1/out'))).toBe('/place/runs/run_1/out');
});
