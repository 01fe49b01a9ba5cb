import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { connect, patient } from './connect.ts';
import { WorkerSession } from './session.ts';
import { quickCheck } from './upkeep/quick-check.ts';
import type { WorkerInput, WorkerPort, WorkerRequest } from './wire.ts';
import { refusal } from './wire.ts';

const port = parentPort;
if (port === null) throw new Error('the sqlite worker was started outside a worker thread');
const input = workerData as WorkerInput;
const arrived: (readonly WorkerRequest[])[] = [];
const line: WorkerPort = {
  next: () => arrived.shift() ?? (receiveMessageOnPort(port)?.message as readonly WorkerRequest[] | undefined),
  reply: (reply) => port.postMessage(reply),
  hangUp: () => port.close(),
};

if (input.quickCheck) line.reply({ finding: quickCheck(input.file) });
else open(port);

function open(from: MessagePort): void {
  try {
    const db = connect(input);
    // Preparing statements reads the schema, which another process may just be locking.
    const session = patient(() => new WorkerSession(db, input, line), input.file, input.lockWaitMs);
    from.on('message', (requests: readonly WorkerRequest[]) => {
      arrived.push(requests);
      session.work();
    });
    line.reply({ opened: true });
  } catch (error) {
    line.reply({ answers: [{ id: 0, refused: refusal(error) }] });
  }
}
