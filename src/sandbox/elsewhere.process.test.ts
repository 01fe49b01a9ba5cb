import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { elsewhere, isHere } from './elsewhere.ts';

describe('a name that is looked up for a sandbox', () => {
  it('never leads to this machine or to the metadata of a cloud [RUN-16] [T11]', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '100.100.100.200', '168.63.129.16'])
      expect([address, isHere(address, 4)]).toEqual([address, true]);
    for (const address of ['::1', '::', 'fe80::1', '::ffff:127.0.0.1', '::ffff:169.254.169.254', 'fd00:ec2::254'])
      expect([address, isHere(address, 6)]).toEqual([address, true]);
    for (const address of ['10.0.0.1', '192.168.1.1', '1.1.1.1']) expect(isHere(address, 4)).toBe(false);
    expect(isHere('2606:4700::1111', 6)).toBe(false);
  });

  it('never leads to an address that this machine has in a network [RUN-16] [T11]', () => {
    for (const { address, family } of Object.values(networkInterfaces()).flatMap((all = []) => all)) {
      expect([address, isHere(address, family === 'IPv6' ? 6 : 4)]).toEqual([address, true]);
      if (family === 'IPv4') expect(isHere(`::ffff:${address}`, 6)).toBe(true);
    }
  });

  it('is refused when it has no other address, and localhost is what it says', async () => {
    const asked = (name: string) =>
      new Promise<string>((resolve) =>
        elsewhere(name, { all: true }, (error, found) => resolve(error ? String(error.code) : JSON.stringify(found))),
      );
    // Whatever a resolver knows of these, it is this machine or nothing.
    for (const name of ['localhost.localdomain', 'ip6-localhost', 'x.localhost', hostname()])
      expect(await asked(name)).not.toMatch(/127\.0|"::1"/);
    expect(await asked('localhost')).toMatch(/127\.0\.0\.1|::1/);
  });
});
