import { describe, expect, it } from 'vitest';
import { CgroupKernel, type Given } from '../../../test/support/cgroup-kernel.ts';
import { limitsHeld } from './limits-held.ts';

function told(given: Given): string {
  using kernel = new CgroupKernel(given);
  return limitsHeld({ root: kernel.root, files: kernel });
}

describe('what is told of the limits of a sandbox', () => {
  const groups = ['fleet.service', 'fleet.service/fleet-outside'];

  it('says which of them the kernel holds by a cgroup, besides what is measured [RUN-16]', () => {
    const all = told({ own: '/fleet.service/fleet-outside', groups });
    expect(all).toMatch(
      /^memory, processes and disk are measured from outside; held by the kernel: memory, processes, processor by a cgroup/,
    );
    expect(all).not.toContain('no cgroup');
    expect(told({ own: '/', controllers: 'pids' })).toContain('held by the kernel: processes by a cgroup');
  });

  it('says why there is no cgroup for them [RUN-16]', () => {
    const shared = told({ own: '/fleet.service', groups, members: { 'fleet.service': [7] } });
    expect(shared).toContain('; no cgroup for limits: the cgroup /fleet.service has processes of its own');
    expect(shared).not.toContain('by a cgroup');
  });

  it('asks for the group of the process that starts them, if it is there [RUN-16]', () => {
    using kernel = new CgroupKernel({ own: '/terminal', groups: [...groups, 'terminal'], members: { terminal: [7] } });
    kernel.addProcess(42, '/fleet.service/fleet-outside');
    const look = { root: kernel.root, files: kernel };
    expect(limitsHeld({ ...look, pid: 42 })).toContain('by a cgroup');
    expect(limitsHeld({ ...look, pid: 43 })).toContain('no cgroup for limits: the cgroup /terminal has processes');
  });
});
