import { mayRunAll, mayWrite } from '../../domain/agent/tools.ts';
import type { Job } from '../executor.ts';

/** The limits of a thread. */
export interface ThreadPolicy {
  readonly sandbox: 'danger-full-access' | 'workspace-write' | 'read-only';
  readonly approvalPolicy: 'never' | 'untrusted';
}

/**
 * Who may run every command is held back by nothing here: a sandbox around the whole run is put up elsewhere. Everybody else
 * is asked for each command and each patch, and what was allowed then runs in a sandbox of codex's own, unless it is in one
 * already: in there none can be made, and no command would start.
 */
export function threadPolicy({ tools, sandboxed }: Pick<Job, 'tools' | 'sandboxed'>): ThreadPolicy {
  if (mayRunAll(tools)) return { sandbox: 'danger-full-access', approvalPolicy: 'never' };
  if (sandboxed) return { sandbox: 'danger-full-access', approvalPolicy: 'untrusted' };
  return { sandbox: mayWrite(tools) ? 'workspace-write' : 'read-only', approvalPolicy: 'untrusted' };
}
