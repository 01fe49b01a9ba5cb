import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { liveFile } from '../serve/live-file.ts';

export interface EngineAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks the engine of a home in the name of a run. Throws when nobody is there or the answer cannot be read. */
export async function askEngine(
  files: { readonly live: string; readonly token: string },
  path: string,
  { body, signal }: { readonly body?: object; readonly signal: AbortSignal },
): Promise<EngineAnswer> {
  const live = await liveFile(files.live);
  if (!live) throw new Error('Fleet does not run');
  const token = (await readFile(files.token, 'utf8')).trim();
  const text = body ? JSON.stringify(body) : undefined;
  const headers = {
    host: 'fleet',
    authorization: `Bearer ${token}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const method = text === undefined ? 'GET' : 'POST';
    const asking = request({ socketPath: live.socket, method, path, headers, signal, agent: false }, (answer) => {
      json(answer).then(
        (read) => resolve({ status: answer.statusCode ?? 0, body: read as EngineAnswer['body'] }),
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
    asking.on('error', reject);
    asking.end(text);
  });
}
