import { describe, expect, it } from 'vitest';
import { Fault } from './fault.ts';
import { isMachineError, machineRetryMs } from './machine-error.ts';

const system = (code: string, message = code, path?: string) =>
  Object.assign(new Error(message), { code, ...(path ? { path } : {}) });

describe('an error of the machine', () => {
  it.each([
    [system('EROFS')],
    [system('ENOSPC')],
    [new Fault('unavailable', 'cannot lay out /w/1: the file system is read-only', {}, { cause: system('EROFS') })],
    [new Fault('unavailable', 'git read-tree did not succeed: fatal: unable to write new index file: No space left on device')],
    [new Fault('unavailable', 'the process that starts git is gone (SIGKILL): try again')],
    [new Error('outer', { cause: system('EIO') })],
  ])('is one that may be gone later: %s', (error) => expect(isMachineError(error)).toBe(true));

  it.each([
    [new Fault('not_found', 'there is no commit abc')],
    [new Fault('conflict', '/w/1 is in the way: it was not made by Fleet')],
    [system('ENOENT')],
    ['a string'],
    [undefined],
  ])('is not one that a retry meets again: %s', (error) => expect(isMachineError(error)).toBe(false));

  it('includes a missing permission in a directory of Fleet, and nowhere else', () => {
    const denied = system('EACCES', "EACCES: permission denied, mkdir '/ours/w/1'", '/ours/w/1');
    expect(isMachineError(denied, '/ours/w')).toBe(true);
    expect(isMachineError(denied, '/elsewhere')).toBe(false);
    expect(isMachineError(denied)).toBe(false);
  });

  it('is retried with growing delays of at most 30 seconds', () => {
    expect([1, 2, 3, 4].map(machineRetryMs)).toEqual([250, 500, 1_000, 2_000]);
    expect(machineRetryMs(1_000)).toBe(30_000);
  });
});
