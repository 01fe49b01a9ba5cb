import { lstat, readlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Where systems keep programs, libraries and what these are told about the machine. Nothing else of it is in a sandbox. */
const SYSTEM = ['/bin', '/etc', '/gnu', '/lib', '/lib32', '/lib64', '/libx32', '/nix', '/opt', '/sbin', '/usr'];
/** What programs ask how many processors there are. */
const PROCESSORS = '/sys/devices/system/cpu';

/** What everybody sees of the machine, and nobody can change. */
export interface Machine {
  readonly directories: readonly string[];
  readonly links: readonly { readonly at: string; readonly to: string }[];
}

/** As it is now: a directory may have become a link by an upgrade. */
export async function machineHere(): Promise<Machine> {
  const found = await Promise.all([...SYSTEM, PROCESSORS].map(lookedAt));
  return {
    directories: found.flatMap((one) => (typeof one === 'string' ? [one] : [])),
    links: found.flatMap((one) => (typeof one === 'object' ? [one] : [])),
  };
}

async function lookedAt(at: string): Promise<string | { readonly at: string; readonly to: string } | undefined> {
  const found = await lstat(at).catch(() => undefined);
  if (found?.isDirectory()) return at;
  if (!found?.isSymbolicLink()) return undefined;
  const to = await readlink(at);
  const isShown = SYSTEM.some((place) => `${resolve(dirname(at), to)}/`.startsWith(`${place}/`));
  return isShown ? { at, to } : at;
}
