import { Workspace } from '../../domain/work/workspace.ts';
import { part, records } from './record.ts';

export const workspaceIndex = {
  /** All of one host, by number. */
  host: (host: string) => `workspace.host/${part(host)}`,
  /** Those that nobody uses. */
  free: (host: string, projectId: string) => `workspace.free/${part(host)}/${projectId}`,
} as const;

const byNumber = (n: number): string => String(n).padStart(10, '0');

export const workspaces = records<Workspace>({
  kind: 'workspace',
  schema: Workspace,
  idOf: ({ id }) => id,
  entriesOf: ({ n, host, projectId, use, state }) => [
    { index: workspaceIndex.host(host), sort: byNumber(n) },
    ...(use.kind === 'free' && state === 'ready' ? [{ index: workspaceIndex.free(host, projectId), sort: byNumber(n) }] : []),
  ],
});
