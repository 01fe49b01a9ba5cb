/** What the database thread, its beliefs and its group commit cost, against a loop that does nothing but write. */
import { join } from 'node:path';
import { instantOf } from '../src/domain/values.ts';
import type { Write } from '../src/store/port.ts';
import { connect } from '../src/store/sqlite/connect.ts';
import type { Database } from '../src/store/sqlite/database.ts';
import { measure, rateOf } from './measure.ts';
import { PROMPT, queuedTask } from './queue.ts';
import { temporaryDirectory, temporaryHouse } from './temporary-home.ts';

const CALLERS = 32;
const PER_SAMPLE = 640;

await using made = await temporaryHouse();
await using directory = await temporaryDirectory();
const { house, project } = made;
const bare = connect({ file: join(directory.path, 'bare.db'), lockWaitMs: 1_000 });
const writeBare = bareWriter(bare);

/** New tasks, each a row and the first entry of its journal, made before the clock runs. */
const newTasks = (count: number): Write[][] =>
  Array.from({ length: count }, () => queuedTask(house, { projectId: project.id, executors: [] }, instantOf(Date.now())));

/** The same rows and index entries in one transaction, without a belief, a version or a check sum. */
function bareWriter(db: Database): (writes: readonly Write[]) => void {
  const insert = db.prepare("INSERT INTO rows (kind, id, version, body, entries, sum) VALUES (?, ?, '1', ?, ?, 0)");
  const enter = db.prepare('INSERT INTO entries (name, sort, rid) VALUES (?, ?, ?)');
  return (writes) => {
    db.exec('BEGIN IMMEDIATE');
    for (const write of writes) {
      if (write.op !== 'put') throw new Error(`a bare loop only puts, got ${write.op}`);
      const rid = insert.run(write.key.kind, write.key.id, JSON.stringify(write.body), JSON.stringify(write.entries));
      for (const { index, sort } of write.entries) enter.run(index, sort, rid);
    }
    db.exec('COMMIT');
  };
}

const bareRate = (durable: boolean) => (): Promise<number> => {
  bare.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
  return rateOf(newTasks(PER_SAMPLE), 1, writeBare);
};

/** The most that sharing a flush among all callers can give on this disk, before anything of the product is added. */
const bareSharedRate = async (): Promise<number> => {
  bare.exec('PRAGMA synchronous = FULL');
  const shared = Array.from({ length: PER_SAMPLE / CALLERS }, () => newTasks(CALLERS).flat());
  return CALLERS * (await rateOf(shared, 1, writeBare));
};

const commitRate =
  (flush: boolean, callers = CALLERS) =>
  (): Promise<number> =>
    rateOf(newTasks(PER_SAMPLE), callers, (writes) => house.store.commit(writes, { flush }));

const acceptedRate = (): Promise<number> =>
  rateOf(Array.from({ length: PER_SAMPLE }), CALLERS, () =>
    house.call('task.create', { project: project.name, prompt: PROMPT, tag: ['orders', 'bug'] }),
  );

/** Versions count transactions, and each of these was flushed once. */
async function acceptedPerFlush(): Promise<number> {
  const before = await transactions();
  await acceptedRate();
  return PER_SAMPLE / ((await transactions()) - before - 1);
}

const transactions = async (): Promise<number> =>
  Number.parseInt(await house.store.commit(newTasks(1).flat(), { flush: true }), 10);

const goal = { atLeast: 0.6 };
await measure({ name: 'commit, flushed, 32 callers v a bare loop', goal, floor: bareRate(true), product: commitRate(true) });
await measure({ name: 'commit, 32 callers v a bare loop', goal, floor: bareRate(false), product: commitRate(false) });
await measure({ name: 'commit, flushed, 1 caller v a bare loop', floor: bareRate(true), product: commitRate(true, 1) });
await measure({ name: 'commit, 1 caller v a bare loop', floor: bareRate(false), product: commitRate(false, 1) });
await measure({ name: 'bare loop, 32 tasks in a flush v one flush each', floor: bareRate(true), product: bareSharedRate });
// How much a shared flush saves is the disk's affair: where one takes 0.2 ms, even the bare loop gains only four times from
// sharing it. What the product answers for is that callers do share it.
await measure({ name: 'task.create, durable, 32 callers v one flush each', floor: bareRate(true), product: acceptedRate });
await measure({
  name: 'task.create, durable, 32 callers: tasks in a flush',
  goal: { atLeast: 5 },
  floor: () => 1,
  product: acceptedPerFlush,
});
bare.close();
