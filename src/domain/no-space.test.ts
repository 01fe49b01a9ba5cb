import { describe, expect, it } from 'vitest';
import { Fault } from './fault.ts';
import { isNoSpace, toNoSpaceFault } from './no-space.ts';

const system = (code: string, path?: string) => Object.assign(new Error(`${code}: no`), { code, ...(path && { path }) });

describe('an error of the system', () => {
  it('for a full disk or quota becomes a fault that names the file [R17]', () => {
    expect(toNoSpaceFault(system('ENOSPC', '/a/b'))).toMatchObject({
      code: 'unavailable',
      message: 'the disk is full: no space for /a/b',
      details: { full: true },
    });
    expect(toNoSpaceFault(system('EDQUOT'))).toMatchObject({ message: expect.stringContaining('quota') });
    expect([system('ENOSPC'), new Fault('unavailable', 'x', { full: true })].map(isNoSpace)).toEqual([true, true]);
  });

  it('of any other kind is returned unchanged', () => {
    for (const other of [system('EIO'), new Error('bug'), new Fault('conflict', 'no'), 'ENOSPC', undefined]) {
      expect(toNoSpaceFault(other)).toBe(other);
      expect(isNoSpace(other)).toBe(false);
    }
  });
});
