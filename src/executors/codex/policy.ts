import { mayRunAll, mayWrite } from '../../domain/agent/tools.ts';

/** How far a thread may go without asking. */
export interface Reach {
  readonly sandbox: 'danger-full-access' | 'workspace-write' | 'read-only';
  readonly approvalPolicy: 'never' | 'untrusted';
}

/**
 * Who may run every command is held back by nothing here: a sandbox around the whole run is put up elsewhere. Everybody else
 * is asked for each command and each patch, and what was allowed then runs in a sandbox of codex's own.
 */
export function reachOf(tools: readonly string[] | undefined): Reach {
  if (mayRunAll(tools)) return { sandbox: 'danger-full-access', approvalPolicy: 'never' };
  return { sandbox: mayWrite(tools) ? 'workspace-write' : 'read-only', approvalPolicy: 'untrusted' };
}
