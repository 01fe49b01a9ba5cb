import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Call, type CallOptions } from '../../../contract/call.ts';
import { operationOf } from '../tool.ts';

/**
 * Serves one message to a server that exists for it alone. Whatever it says goes out as JSON, one message per line, and
 * the answer is the last line.
 */
export function oneAnswer(message: JSONRPCMessage & { id: string | number }, server: () => McpServer): Response {
  const encoder = new TextEncoder();
  let served: { close(): Promise<void> } | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (writer) => {
      let isOver = false;
      const transport: Transport = {
        // Whoever serves has to listen before anything is said.
        start: async () => queueMicrotask(() => transport.onmessage?.(message)),
        send: async (said) => {
          if (isOver) return;
          writer.enqueue(encoder.encode(`${JSON.stringify(said)}\n`));
          if ('id' in said && said.id === message.id && !('method' in said)) {
            isOver = true;
            writer.close();
            // Not in the middle of its own sending.
            queueMicrotask(() => void served?.close());
          }
        },
        close: async () => {
          if (!isOver) writer.close();
          isOver = true;
          transport.onclose?.();
        },
      };
      served = serveStdio(server, { transport });
    },
    // The agent has canceled, or is gone.
    cancel: async () => served?.close(),
  });
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}

/** Each command of one request has a key of its own: sent again, none is carried out twice. */
export function keyedCall(call: Call, key: string | undefined): Call {
  if (key === undefined) return call;
  let commands = 0;
  const keyed = (name: Parameters<Call>[0], input: never, options: CallOptions = {}) => {
    if (operationOf(name).kind !== 'command') return call(name, input, options);
    commands += 1;
    return call(name, input, { key: commands === 1 ? key : `${key}/${commands}` });
  };
  return keyed as Call;
}
