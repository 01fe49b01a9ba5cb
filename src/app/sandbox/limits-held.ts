import { type CgroupLook, cgroupPlace, type LimitController } from '../../sandbox/cgroup-place.ts';
import { prlimitHere } from '../../sandbox/limits.ts';

const WORDS: Readonly<Record<LimitController, string>> = { memory: 'memory', pids: 'processes', cpu: 'processor' };

/** Which limits of a sandbox the kernel holds where this process starts them, and which are only measured. */
export function limitsHeld(look: CgroupLook = {}): string {
  const place = cgroupPlace(look);
  const held = 'why' in place ? [] : place.controllers.map((name) => WORDS[name]);
  const alone = prlimitHere() === undefined ? [] : ['threads', 'sizes of files'];
  const byKernel = [
    held.length > 0 ? `${held.join(', ')} by a cgroup` : '',
    alone.length > 0 ? `${alone.join(', ')} by prlimit` : '',
  ];
  return [
    'memory, processes and disk are measured from outside',
    `held by the kernel: ${byKernel.filter(Boolean).join('; ') || 'nothing'}`,
    ...('why' in place ? [`no cgroup for limits: ${place.why}`] : []),
    ...(alone.length > 0 ? [] : ['prlimit of util-linux was not found']),
  ].join('; ');
}
