/* JSON-RPC as `codex app-server` uses it: one object per line, without the version field. */

export type RequestId = string | number;

export const request = (id: string, method: string, params: object): string => JSON.stringify({ id, method, params });

export const notification = (method: string): string => JSON.stringify({ method });

export const reply = (id: RequestId, result: object): string => JSON.stringify({ id, result });

const METHOD_NOT_FOUND = -32_601;

/** Answers an unsupported request with an error, because codex waits for an answer. */
export const refusal = (id: RequestId, method: string): string =>
  JSON.stringify({ id, error: { code: METHOD_NOT_FOUND, message: `fleet does not answer ${method.slice(0, 200)}` } });
