import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CgroupKernel, type Given } from '../../test/support/cgroup-kernel.ts';
import { makeSandboxGroup, type SandboxGroup } from './cgroup-limits.ts';
import type { SandboxLimits } from './limits.ts';

const MB = 1024 ** 2;
const LIMITS: SandboxLimits = {
  memoryBytes: 200 * MB,
  inMemory: { places: [], eachBytes: 0 },
  processes: 64,
  tasks: 1_024,
  userTasks: 4_096,
  diskBytes: MB,
  directories: [],
};
const LEAF = 'fleet.service/fleet-outside';
const SERVICE: Given = { own: `/${LEAF}`, groups: ['fleet.service', LEAF], members: { [LEAF]: [7] } };

const made = (kernel: CgroupKernel, limits = LIMITS) => makeSandboxGroup(limits, { root: kernel.root, files: kernel });

function groupOf(kernel: CgroupKernel, limits = LIMITS): SandboxGroup & { readonly name: string } {
  const group = made(kernel, limits);
  if ('why' in group) throw new Error(group.why);
  return { ...group, name: kernel.sandboxes().at(-1) ?? '' };
}

describe('the group of a sandbox', () => {
  it('writes every limit before anything is in it [RUN-16] [T13]', () => {
    using kernel = new CgroupKernel(SERVICE);
    const { name, door, held } = groupOf(kernel, { ...LIMITS, cpus: 2 });
    expect(held).toEqual(['memory', 'pids', 'cpu']);
    expect(name).toMatch(/^fleet\.service\/fleet-sandbox-\d+-[0-9a-f]{12}$/);
    expect(door).toBe(kernel.at(name, 'cgroup.procs'));
    const files = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.max', 'cpu.weight', 'cgroup.procs'];
    const written = files.map((file) => kernel.text(name, file));
    expect(written).toEqual([String(200 * MB), '0', '1', '1025', '200000 100000', '33', '']);
  });

  it('has a share of the processor and no limit where none is set [RUN-16]', () => {
    using kernel = new CgroupKernel(SERVICE);
    const { name } = groupOf(kernel);
    expect([kernel.text(name, 'cpu.max'), kernel.text(name, 'cpu.weight')]).toEqual(['', '33']);
  });

  it('is beside a leaf that takes all processes of a container [RUN-16]', () => {
    using kernel = new CgroupKernel({ own: '/', members: { '': [1, 7, 8] } });
    const { name } = groupOf(kernel);
    expect(kernel.text('fleet-outside', 'cgroup.procs').split('\n')).toEqual(['1', '7', '8']);
    expect(kernel.text('cgroup.procs')).toBe('');
    expect(kernel.text('cgroup.subtree_control')).toBe('memory pids cpu');
    expect(kernel.text(name, 'memory.max')).toBe(String(200 * MB));
  });

  it('moves nobody at the root of the machine [RUN-16]', () => {
    using kernel = new CgroupKernel({ own: '/', members: { '': [1, 7] }, isMachine: true });
    groupOf(kernel);
    expect(kernel.text('cgroup.procs').split('\n')).toEqual(['1', '7']);
    expect(kernel.names(kernel.at(''))).not.toContain('fleet-outside');
  });

  it('holds what there is a controller for [RUN-16]', () => {
    using kernel = new CgroupKernel({ ...SERVICE, controllers: 'memory' });
    const { held, name } = groupOf(kernel, { ...LIMITS, cpus: 1 });
    expect(held).toEqual(['memory']);
    expect(kernel.names(kernel.at(name))).not.toContain('pids.max');
  });

  it('is not made where a step is refused, and leaves nothing behind [RUN-16]', () => {
    using kernel = new CgroupKernel(SERVICE);
    const write = kernel.write.bind(kernel);
    kernel.write = (path, text) => {
      if (path.endsWith('pids.max')) throw new Error('EINVAL');
      write(path, text);
    };
    expect(made(kernel)).toEqual({ why: `the kernel refused a cgroup in ${kernel.at('fleet.service')}: EINVAL` });
    expect(kernel.sandboxes()).toEqual([]);
  });

  it('tells what the kernel ended it for in the words of who measures [RUN-16] [T13]', () => {
    using kernel = new CgroupKernel(SERVICE);
    const { name, endedFor, tooMuch } = groupOf(kernel);
    const events = (text: string) => writeFileSync(kernel.at(name, 'memory.events'), text);
    events('low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\noom_group_kill 0\n');
    expect([endedFor(), tooMuch()]).toEqual([undefined, undefined]);
    // By a machine that has no memory left, or for the limit of somebody around it.
    events('low 0\nhigh 0\nmax 9\noom 0\noom_kill 3\noom_group_kill 1\n');
    expect(endedFor()).toBeUndefined();
    events('low 0\nhigh 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n');
    expect(endedFor()).toBe('it used 200 MB of memory, sandbox_memory_mb allows 200');
    expect(tooMuch()).toBe(endedFor());
  });

  it('tells that it was refused processes, which ends nothing by itself [RUN-16] [R22]', () => {
    using kernel = new CgroupKernel(SERVICE);
    const { name, endedFor, tooMuch } = groupOf(kernel);
    writeFileSync(kernel.at(name, 'pids.events'), 'max 4\n');
    writeFileSync(kernel.at(name, 'pids.current'), '30\n');
    // For the limit of a group around it.
    expect(tooMuch()).toBeUndefined();
    writeFileSync(kernel.at(name, 'pids.current'), '1025\n');
    expect(endedFor()).toBeUndefined();
    expect(tooMuch()).toBe(
      'it had 1024 processes and threads at once, max_processes allows 64 processes and 1024 of both, and the kernel refused it more',
    );
  });

  it('is gone when it is over, with all that is in it [RUN-16]', async () => {
    using kernel = new CgroupKernel(SERVICE);
    const { door, end } = groupOf(kernel);
    kernel.write(door, '99');
    await end();
    expect(kernel.sandboxes()).toEqual([]);
  });

  it('takes away those whose owner was killed, and none that has one or a process [RUN-16]', () => {
    using kernel = new CgroupKernel({
      ...SERVICE,
      groups: [...(SERVICE.groups ?? []), 'fleet.service/fleet-sandbox-11-aa', 'fleet.service/fleet-sandbox-12-bb'],
      members: { 'fleet.service/fleet-sandbox-12-bb': [99] },
    });
    groupOf(kernel);
    expect(kernel.sandboxes()).toHaveLength(2);
    expect(kernel.sandboxes()).toContain('fleet.service/fleet-sandbox-12-bb');
  });
});
