import { isRecord, recordIn } from '../agent-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A JSON-RPC id chosen by the agent. */
export type RpcId = string | number;

/** One message from the agent. */
export type AcpMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: Fields }
  | { readonly kind: 'notice'; readonly method: string; readonly params: Fields }
  | { readonly kind: 'result'; readonly id: string; readonly result: Fields }
  | { readonly kind: 'error'; readonly id: string; readonly error: Fields };

export const METHOD_NOT_FOUND = -32_601;
/** The error code for an agent that is not signed in. */
export const AUTH_REQUIRED = -32_000;

const longestId = 200;

/** The message in a line; undefined if the line is not of the protocol. */
export function messageIn(line: string): AcpMessage | undefined {
  const record = recordIn(line);
  if (record?.['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params, result, error } = record;
  if (typeof method === 'string') {
    const given = fieldsOf(params);
    if (id === undefined) return { kind: 'notice', method, params: given };
    return isId(id) ? { kind: 'request', id, method, params: given } : undefined;
  }
  if (typeof id !== 'string') return undefined;
  if (isRecord(error)) return { kind: 'error', id, error };
  return result === undefined ? undefined : { kind: 'result', id, result: fieldsOf(result) };
}

const isId = (id: unknown): id is RpcId =>
  (typeof id === 'string' && id.length <= longestId) || (typeof id === 'number' && Number.isFinite(id));

export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const request = (id: string, method: string, params: Fields): string => line({ id, method, params });
export const notification = (method: string, params: Fields): string => line({ method, params });
export const reply = (id: RpcId, result: Fields): string => line({ id, result });
export const refusal = (id: RpcId, code: number, message: string): string => line({ id, error: { code, message } });

const line = (fields: Fields): string => JSON.stringify({ jsonrpc: '2.0', ...fields });
