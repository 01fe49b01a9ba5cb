import { parentPort, workerData } from 'node:worker_threads';
import type { ModuleCall, ModuleReply, ModuleThreadInput } from './module-messages.ts';

/* The program of the thread that runs one module of a user. It answers one call at a time. */

const { url, port, signal } = workerData as ModuleThreadInput;

function send(reply: ModuleReply): void {
  port.postMessage(reply);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

function answer(work: () => unknown): ModuleReply {
  try {
    return { value: JSON.stringify(work()) };
  } catch (error) {
    return { problem: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

async function load(): Promise<Record<string, unknown>> {
  const { default: made } = (await import(url)) as { default?: unknown };
  if (typeof made !== 'object' || made === null) throw new TypeError('it has no default export that is an object');
  return made as Record<string, unknown>;
}

/** Functions cannot be sent to the caller, so their names are. */
const factsOf = (made: Record<string, unknown>) => ({
  ...made,
  functions: Object.keys(made).filter((name) => typeof made[name] === 'function'),
});

try {
  const made = await load();
  port.on('message', ({ name, args }: ModuleCall) =>
    send(
      answer(() => {
        const asked = made[name];
        if (typeof asked !== 'function') throw new TypeError(`it has no function ${name}`);
        const value: unknown = asked.apply(made, args);
        if (value instanceof Promise) throw new TypeError(`${name} gives a promise, expected a plain value`);
        return value;
      }),
    ),
  );
  send(answer(() => factsOf(made)));
} catch (error) {
  send(
    answer(() => {
      throw error;
    }),
  );
}
parentPort?.postMessage('loaded');
