import { findProgram } from '../../platform/ask-version.ts';
import { type ProbeResult, probe } from '../../sandbox/probe.ts';
import { installer } from './installer.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type SandboxHere =
  | (Extract<ProbeResult, { works: true }> & { readonly path: string })
  | (Exclude<ProbeResult, { works: true }> & { readonly path?: string });

const working = new Map<string, ProbeResult>();

/** Whether a sandbox can be made on this machine. What works is not tried again; what does not may have been repaired. */
export async function sandboxHere(env: Env): Promise<SandboxHere> {
  const path = await findProgram('bwrap', env);
  if (path === undefined) return { works: false, why: 'bubblewrap was not found', repair: `${await installer(env)} bubblewrap` };
  const probed = working.get(path) ?? (await probe(path));
  if (probed.works) working.set(path, probed);
  return { ...probed, path };
}
