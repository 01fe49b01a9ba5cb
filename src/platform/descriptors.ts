import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSED_BY_EXEC = 0o2000000;

/**
 * Closes what whoever started this process left open for it besides the first three: it would be passed on to everything
 * that is started here, into sandboxes too. What this process opened itself is not passed on, and stays. To be called first.
 */
export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name);
    if (descriptor > 2 && isPassedOn(descriptor)) closeSync(descriptor);
  }
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_BY_EXEC) === 0;
  } catch {
    // The one that listed the others is gone by now.
    return false;
  }
}
