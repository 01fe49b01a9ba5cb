import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import type { Call } from '../../contract/call.ts';
import type { OperationName } from '../../contract/index.ts';
import { mayCall, type Standing } from '../../domain/authority.ts';
import { isFault } from '../../domain/fault.ts';
import { operationOf } from './tool.ts';
import { logOf } from './tools/task-looking.ts';

interface TaskText {
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly calls: readonly OperationName[];
  read(id: string, call: Call): Promise<string>;
}

const LOG_BYTES = 200_000;
const RECENT = 20;

/** What a client may attach to a conversation, by `fleet://task/ID/NAME`. */
export const TASK_TEXTS: Readonly<Record<'report' | 'log' | 'diff', TaskText>> = {
  report: {
    title: 'Report of a task',
    description: 'What its agents reported and what the gate found, as JSON.',
    mimeType: 'application/json',
    calls: ['task.list', 'task.report'],
    read: async (id, call) => JSON.stringify(await call('task.report', { id }), undefined, 2),
  },
  log: {
    title: 'Output of a task',
    description: 'The end of what its newest run printed, secrets removed.',
    mimeType: 'text/plain',
    calls: ['task.list', 'run.list', 'task.log'],
    read: (id, call) => logOf(id, LOG_BYTES, { call }),
  },
  diff: {
    title: 'Changes of a task',
    description: 'What it has changed, committed or not.',
    mimeType: 'text/x-diff',
    calls: ['task.list', 'task.diff'],
    read: async (id, call) => (await call('task.diff', { id })).text,
  },
};

/** Offers those texts that the caller may read. */
export function offerResources(server: McpServer, { call, standing }: { call: Call; standing: Standing }): void {
  const recent = async () => (await call('task.list', { limit: RECENT })).items;
  for (const [name, text] of Object.entries(TASK_TEXTS)) {
    const { title, description, mimeType } = text;
    if (!text.calls.every((operation) => mayCall(standing, operationOf(operation)))) continue;
    const template = new ResourceTemplate(`fleet://task/{id}/${name}`, {
      list: async () => ({
        resources: (await recent()).map((task) => ({
          uri: `fleet://task/${task.id}/${name}`,
          name: `${name} of ${task.title}`,
          description: `${task.phase.state}; ${description}`,
          mimeType,
        })),
      }),
      complete: { id: async (begun) => (await recent()).map(({ id }) => String(id)).filter((id) => id.includes(begun)) },
    });
    server.registerResource(`task-${name}`, template, { title, description, mimeType }, async (uri, { id }) => ({
      contents: [
        { uri: uri.href, mimeType, text: await text.read(String(id), call).catch((error: unknown) => refuse(uri, error)) },
      ],
    }));
  }
}

function refuse(uri: URL, error: unknown): never {
  if (!isFault(error)) throw error;
  if (error.code === 'not_found') throw new ResourceNotFoundError(uri.href, error.message);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code });
}
