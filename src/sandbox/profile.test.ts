import { describe, expect, it } from 'vitest';
import { isWithin, type Mount, profileOf } from './profile.ts';

const read = (at: string): Mount => ({ from: at, at, as: 'read' });
const write = (at: string): Mount => ({ from: at, at, as: 'write' });
const mountsIn = (args: readonly string[]) =>
  args.flatMap((arg, n) =>
    ['--bind', '--ro-bind', '--dev-bind', '--tmpfs'].includes(arg) ? [`${arg} ${args[n + (arg === '--tmpfs' ? 1 : 2)]}`] : [],
  );

describe('the profile of a sandbox', () => {
  const machine = { directories: ['/usr'], links: [{ at: '/bin', to: 'usr/bin' }] };
  const view = { machine, hidden: ['/home/you'], directory: '/w', network: 'own', memoryBytes: 1024 } as const;

  it('lays out what is deeper later, so that a mask stands above what it masks', () => {
    const mounts = [read('/w/.claude'), write('/w'), write('/home/you/a/b'), read('/home/you/a')];
    expect(mountsIn(profileOf({ ...view, mounts }))).toEqual([
      '--ro-bind /usr',
      '--tmpfs /dev/shm',
      '--tmpfs /home/you',
      '--bind /w',
      '--ro-bind /w/.claude',
      '--ro-bind /home/you/a',
      '--bind /home/you/a/b',
    ]);
  });

  it('lets what cannot be changed win where two want the same place, in either order', () => {
    for (const mounts of [
      [read('/x'), write('/x')],
      [write('/x'), read('/x')],
    ])
      expect(mountsIn(profileOf({ ...view, mounts })).at(-1)).toBe('--ro-bind /x');
    const device: Mount = { from: '/dev/null', at: '/x', as: 'device' };
    expect(mountsIn(profileOf({ ...view, mounts: [write('/x'), device] })).at(-1)).toBe('--dev-bind /x');
  });

  it('has processes, users and messages of its own, no powers, dies with its parent, and shares the network only when told', () => {
    const own = profileOf({ ...view, mounts: [] });
    for (const flag of ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--die-with-parent'])
      expect(own).toContain(flag);
    expect(own[own.indexOf('--cap-drop') + 1]).toBe('ALL');
    expect(own.slice(-4)).toEqual(['--remount-ro', '/', '--chdir', '/w']);
    expect(profileOf({ ...view, network: 'shared', mounts: [] })).not.toContain('--unshare-net');
  });

  it('lets nobody inside make namespaces or write where the kernel listens, and bounds whatever lies in memory [T17]', () => {
    const args = profileOf({ ...view, mounts: [] });
    for (const flag of ['--disable-userns', '--assert-userns-disabled']) expect(args).toContain(flag);
    const fixed = args.flatMap((arg, n) => (arg === '--remount-ro' ? [args[n + 1]] : []));
    expect(fixed).toEqual(['/dev', '/proc', '/']);
    const sizes = args.flatMap((arg, n) => (arg === '--tmpfs' ? [args.slice(n - 2, n)] : []));
    expect(sizes).toEqual([
      ['--size', '1024'],
      ['--size', '1024'],
    ]);
    expect(args.join(' ')).toContain('--symlink usr/bin /bin');
  });

  it('knows what lies in a directory by whole names', () => {
    expect(isWithin('/a/b', '/a')).toBe(true);
    expect(isWithin('/a', '/a')).toBe(true);
    expect(isWithin('/ab', '/a')).toBe(false);
    expect(isWithin('/a', '/')).toBe(true);
  });
});
