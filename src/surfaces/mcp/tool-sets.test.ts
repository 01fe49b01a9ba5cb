import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from '../../contract/index.ts';
import { mayCall, ROLES, STANDINGS } from '../../domain/authority.ts';
import { FAULT_CODES } from '../../domain/fault.ts';
import { ADVICE } from './advice.ts';
import { PROMPTS } from './prompts.ts';
import { TASK_TEXTS } from './resources.ts';
import { annotationsOf, operationOf, type Tool } from './tool.ts';
import { TOOL_SETS, type ToolSet, toolsFor } from './tool-sets.ts';

const sets: [string, ToolSet][] = Object.entries(TOOL_SETS);
const every: Tool[] = [...new Set(sets.flatMap(([, { tools }]) => tools))];
/** Left to people and programs: rare, for files of the machine, or better done by another tool. */
const ELSEWHERE = [
  // fleet_status tells of pauses.
  'pause.list',
  'home.init',
  'executor.show',
  // project_list tells the same of each.
  'project.show',
  'db.migrate',
  'db.restore',
  'db.accept',
  'db.export',
  'task.edit',
  // For somebody who sits at a terminal.
  'task.open',
  'task.export',
  'task.import',
  'task.verify',
  'task.commit',
  'task.push',
  'run.show',
  'run.log',
  'run.events',
  'run.facts',
  'token.link',
  // The files are kept nowhere else: a person looks at them first.
  'workspace.delete',
];
const operations = new Set<string>(contract.map(({ name }) => name));

describe('the tool sets', () => {
  it.each(sets)('%s has names of its own and no more tools than a model can choose from', (_name, { tools }) => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(tools.length).toBeLessThanOrEqual(25);
  });

  it('keeps the default set to twenty', () => expect(TOOL_SETS.orchestrate.tools.length).toBeLessThanOrEqual(20));

  it('calls one thing by one name, whatever the set', () =>
    expect(new Set(every.map(({ name }) => name)).size).toBe(every.length));

  it('offers the same whatever set is asked to nobody who may not call it', () => {
    for (const [name, { tools }] of sets)
      for (const standing of STANDINGS) {
        const offered = toolsFor(name as keyof typeof TOOL_SETS, standing);
        const open = tools.filter(({ calls }) => calls.every((operation) => mayCall(standing, operationOf(operation))));
        expect(offered).toEqual(open);
      }
    expect(toolsFor('orchestrate', 'admin')).toEqual(TOOL_SETS.orchestrate.tools);
    expect(toolsFor('admin', 'monitor').map(({ name }) => name)).not.toContain('token_create');
    expect(toolsFor('orchestrate', 'monitor').every((tool) => annotationsOf(tool).readOnlyHint)).toBe(true);
    expect(toolsFor('team', 'worker').map(({ name }) => name)).toContain('task_claim');
  });

  it('forgets no operation: what is in no set is left out on purpose', () => {
    const called = new Set<string>(every.flatMap(({ calls }) => calls));
    expect([...operations].filter((name) => !called.has(name)).toSorted()).toEqual(ELSEWHERE.toSorted());
  });

  it('leaves no role without a tool', () => {
    for (const role of ROLES) expect(toolsFor('orchestrate', role).length, role).toBeGreaterThan(0);
  });
});

describe.each(every.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  it('has a name every client takes, a title and a description', () => {
    expect(tool.name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(tool.title.length).toBeGreaterThan(3);
    expect(tool.about.length).toBeGreaterThan(20);
    expect(tool.about.length).toBeLessThan(500);
  });

  it('calls operations that are declared', () => {
    expect(tool.calls.length).toBeGreaterThan(0);
    for (const name of tool.calls) expect(operations).toContain(name);
  });

  it('can say in JSON what it takes and what it answers, and explains every field', () => {
    const input = z.toJSONSchema(tool.input, { io: 'input' });
    expect(input).toMatchObject({ type: 'object', additionalProperties: false });
    const unexplained = Object.entries(input.properties ?? {}).filter(
      ([, field]) => typeof field === 'boolean' || !field.description,
    );
    expect(unexplained.map(([field]) => field)).toEqual([]);
    expect(z.toJSONSchema(tool.output, { io: 'output' })).toMatchObject({ type: 'object' });
  });

  it('does not call itself harmless when it destroys', () => {
    const { readOnlyHint, destructiveHint } = annotationsOf(tool);
    expect(readOnlyHint && destructiveHint).toBe(false);
  });
});

describe('what stands beside the tools', () => {
  it('has advice for every refusal', () => {
    expect(Object.keys(ADVICE).toSorted()).toEqual([...FAULT_CODES].toSorted());
    for (const text of Object.values(ADVICE)) expect(text).toMatch(/^[A-Z].{10,}\.$/);
  });

  it('reads texts of tasks with operations that are declared', () => {
    for (const { calls } of Object.values(TASK_TEXTS)) for (const name of calls) expect(operations).toContain(name);
  });

  it('speaks in prompts only of tools that are there', () => {
    const names = TOOL_SETS.orchestrate.tools.map(({ name }) => name);
    for (const { args, text } of PROMPTS) {
      const given = Object.fromEntries(Object.keys(args.shape).map((name) => [name, 'x']));
      const spoken = text(given).match(/\b(?:task|tasks|fleet|question|project)_[a-z]+/g) ?? [];
      for (const name of spoken) expect(names).toContain(name);
    }
  });
});
