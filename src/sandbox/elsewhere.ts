import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whoever owns a name decides where it leads. These are this machine itself, and where clouds keep what they tell a machine alone. */
const HERE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const) {
  HERE.addSubnet(network, bits, 'ipv4');
  HERE.addSubnet(`::ffff:${network}`, 96 + bits, 'ipv6');
}
HERE.addSubnet('::', 127, 'ipv6');
HERE.addSubnet('fe80::', 10, 'ipv6');
HERE.addAddress('fd00:ec2::254', 'ipv6');
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) {
  HERE.addAddress(address, 'ipv4');
  HERE.addAddress(`::ffff:${address}`, 'ipv6');
}

export const isHere = (address: string, family: number): boolean =>
  HERE.check(address, family === 6 ? 'ipv6' : 'ipv4') || ownAddresses().has(address.replace(/^::ffff:(?=\d+\.)/i, ''));

/** What else it is known by: a service that listens everywhere listens there too. Interfaces come and go. */
const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)));

/** Looks names up as ever, and knows no address of this machine's own but for `localhost`. An address is not looked up at all. */
export const elsewhere: LookupFunction = (name, options, answer) => {
  lookup(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const usable = error || name === 'localhost' ? found : found.filter(({ address, family }) => !isHere(address, family));
    const [first] = usable ?? [];
    if (error || !first)
      return answer(error ?? Object.assign(new Error(`${name} leads to this machine itself`), { code: 'EACCES' }), '', 0);
    if (options.all) answer(null, usable);
    else answer(null, first.address, first.family);
  });
};
