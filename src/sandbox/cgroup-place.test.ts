import { describe, expect, it } from 'vitest';
import { CgroupKernel, type Given } from '../../test/support/cgroup-kernel.ts';
import { cgroupPlace } from './cgroup-place.ts';

const SERVICE = 'user.slice/fleet.service';
const LEAF = `${SERVICE}/fleet-outside`;
const groups = ['user.slice', SERVICE, LEAF];

function found(given: Given): ReturnType<typeof cgroupPlace> {
  using kernel = new CgroupKernel(given);
  const place = cgroupPlace({ root: kernel.root, files: kernel });
  return 'why' in place ? place : { ...place, base: place.base.slice(kernel.at('').length) };
}

describe('a place for groups of sandboxes', () => {
  it('is beside the leaf that a service manager has put Fleet in [RUN-16]', () => {
    const held = { base: `${SERVICE}`, controllers: ['memory', 'pids', 'cpu'], isToBeLeft: false };
    expect(found({ own: `/${LEAF}`, groups, members: { [LEAF]: [7] } })).toMatchObject({ ...held, base: `/${SERVICE}` });
    expect(found({ own: `/${LEAF}/fleet-0123456789abcdef-r1`, groups })).toMatchObject({ ...held, base: `/${SERVICE}` });
  });

  it('is the group of a container, once its processes have left it, and that of the machine as it is [RUN-16]', () => {
    expect(found({ own: '/', members: { '': [1, 7] } })).toMatchObject({ base: '', isToBeLeft: true });
    expect(found({ own: '/', members: { '': [1, 7] }, isMachine: true })).toMatchObject({ base: '', isToBeLeft: false });
    const below = '30 23 0:26 /user.slice /sys/fs/cgroup rw - cgroup2 cgroup2 rw';
    expect(found({ own: '/user.slice', mount: below })).toMatchObject({ base: '' });
  });

  it('takes what controllers there are, if they hold memory or processes [RUN-16]', () => {
    expect(found({ own: '/', controllers: 'pids memory' })).toMatchObject({ controllers: ['memory', 'pids'] });
    expect(found({ own: '/', controllers: 'cpu hugetlb' })).toEqual({
      why: 'the cgroup / has no controller of memory or processes (cpu, hugetlb)',
    });
  });

  it.each([
    ['holds what else runs in a terminal', { own: `/${SERVICE}`, members: { [SERVICE]: [7, 8] } }, 'has processes of its own'],
    ['was not delegated', { own: `/${LEAF}`, closed: [`${SERVICE}/cgroup.subtree_control`] }, 'is not delegated'],
    ['is of version 1', { own: '/', mount: '30 23 0:26 / /sys/fs/cgroup rw - cgroup cgroup rw,memory' }, 'are not mounted'],
    ['lies outside of what is shown', { own: '/../other' }, 'cannot be seen here'],
    [
      'lies beside what is mounted',
      { own: '/user.slice', mount: '3 2 0:2 /sys /sys/fs/cgroup rw - cgroup2 c rw' },
      'cannot be seen',
    ],
  ])('is not a group that %s, and says so [RUN-16]', (_, given, why) => {
    expect(found({ groups, ...given })).toMatchObject({ why: expect.stringContaining(why) });
  });
});
