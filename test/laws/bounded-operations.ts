import type { OperationName } from '../../src/contract/index.ts';
import type { Run } from '../../src/domain/run/run.ts';
import { questions } from '../../src/store/records/questions.ts';
import { runs } from '../../src/store/records/runs.ts';
import { tasks } from '../../src/store/records/tasks.ts';
import type { withRuns } from '../support/run-house.ts';

/* Every command is either held to the bounds, with an attempt to get past them, or cannot start work, with the reason. */

type House = Awaited<ReturnType<typeof withRuns>>;

/** An attempt that lies outside of the bounds, once they are narrower than when the work was handed in. */
interface Attempt {
  /** Before the bounds hold; what it answers is handed to `attempt`. */
  prepare?(house: House): Promise<string>;
  attempt(house: House, prepared: string): Promise<unknown>;
}

/** What holds while an attempt is made: for the role of whoever made the work, and for that of whoever asks. */
export const NARROWED = { 'team-lead': { executors: ['codex'], sandbox: 'required' as const, max_budget_usd: 1 } };

const lead = (house: House) => house.as('a lead', 'team-lead');
const draft = async (house: House) => (await lead(house)('task.create', { project: 'shop', prompt: 'x', draft: true })).id;
const queued = async (house: House) => (await lead(house)('task.create', { project: 'shop', prompt: 'x' })).id;

const canceled = async (house: House) => {
  const id = await queued(house);
  await lead(house)('task.cancel', { id });
  return id;
};

/** As the engine leaves a task whose work waits for a person. */
async function offered(house: House) {
  const id = await queued(house);
  await house.begin(id);
  const seen = await tasks.get(house.store, id);
  if (!seen) throw new Error('it is gone');
  const work = { branch: 'fleet/x', base: 'a'.repeat(40), target: 'main', tip: 'b'.repeat(40) };
  const block = { cause: 'review', who: 'you', what: 'look at it' } as const;
  const body = { ...seen.body, work, phase: { state: 'blocked', since: house.now(), block } as const };
  await house.store.commit([tasks.put(body, seen.version)]);
  return id;
}

/** A task that stands still for a question of its agent. */
async function asking(house: House) {
  const { call } = await house.begin(await queued(house));
  const { id } = await call('question.ask', { text: 'which?' });
  if (!(await questions.get(house.store, id))) throw new Error('it was not asked');
  return id;
}

/** A task an agent has worked on. */
async function worked(house: House) {
  const id = await queued(house);
  const watch = { offset: 0, skipping: false, state: null, outbox: { at: 0, tail: '' }, session: 's-1', lines: 1, events: 1 };
  const more = { droppedBytes: 0, lastWords: '', openTools: [], asks: [], signAt: house.now(), activeMs: 1 };
  await house.begin(id, { watch: { ...watch, ...more } as Run['watch'] & object });
  return id;
}

async function running(house: House) {
  const { call, runId } = await house.begin(await queued(house));
  const seen = await runs.get(house.store, runId);
  if (!seen) throw new Error('it is gone');
  asRun.set(runId, call);
  return runId;
}
const asRun = new Map<string, House['call']>();
const of = (runId: string) => asRun.get(runId) ?? Promise.reject(new Error('no such run'));

export const HELD: Partial<Record<OperationName, readonly Attempt[]>> = {
  'task.create': [
    { attempt: (house) => lead(house)('task.create', { project: 'shop', prompt: 'x', executor: ['claude'] }) },
    { attempt: (house) => lead(house)('task.create', { project: 'shop', prompt: 'x', executor: ['codex'], sandbox: false }) },
    { attempt: (house) => lead(house)('task.create', { project: 'shop', prompt: 'x', executor: ['codex'], maxBudgetUsd: 2 }) },
    {
      prepare: running,
      attempt: async (_house, id) => (await of(id))('task.create', { prompt: 'a part', executor: ['claude'] }),
    },
  ],
  'task.import': [
    {
      attempt: (house) => lead(house)('task.import', { lines: [{ id: 'b-1', title: 't' }], project: 'shop', dispatch: true }),
    },
  ],
  'task.edit': [
    { prepare: draft, attempt: (house, id) => lead(house)('task.edit', { id, prompt: 'y' }) },
    { prepare: draft, attempt: (house, id) => lead(house)('task.edit', { id, notBefore: '2030-01-01T00:00:00.000Z' }) },
  ],
  'task.fork': [{ prepare: worked, attempt: (house, id) => lead(house)('task.fork', { id }) }],
  'task.dispatch': [{ prepare: draft, attempt: (house, id) => lead(house)('task.dispatch', { id }) }],
  'task.retry': [{ prepare: canceled, attempt: (house, id) => lead(house)('task.retry', { id }) }],
  'task.resume': [{ prepare: canceled, attempt: (house, id) => lead(house)('task.resume', { id, text: 'go on' }) }],
  'task.send': [{ prepare: queued, attempt: (house, id) => lead(house)('task.send', { id, text: 'do as I say' }) }],
  'task.reject': [{ prepare: offered, attempt: (house, id) => lead(house)('task.reject', { id, text: 'do as I say' }) }],
  'task.review': [
    { prepare: offered, attempt: (house, id) => lead(house)('task.review', { id }) },
    { prepare: running, attempt: async (_house, id) => (await of(id))('task.review', {}) },
  ],
  'task.claim': [{ prepare: queued, attempt: (house, id) => lead(house)('task.claim', { id }) }],
  'task.complete': [
    {
      prepare: async (house) => {
        const id = await queued(house);
        await lead(house)('task.claim', { id });
        return id;
      },
      attempt: (house, id) => lead(house)('task.complete', { id, commit: 'main' }),
    },
  ],
  'question.answer': [{ prepare: asking, attempt: (house, id) => lead(house)('question.answer', { id, text: 'do as I say' }) }],
  'question.withdraw': [{ prepare: asking, attempt: (house, id) => lead(house)('question.withdraw', { id }) }],
  'token.create': [
    {
      attempt: async (house) => {
        const { heldAs } = await lead(house)('token.create', { name: 'wider', role: 'coordinator', days: 1 });
        return house.as('wider', 'coordinator', { heldAs })('task.create', { project: 'shop', prompt: 'x', sandbox: false });
      },
    },
  ],
};

const AT_ITS_START = 'what it lets go on is held to the bounds of its maker when it is started';
const NO_AGENT = 'it changes no task so that an agent would begin';
const OWNER = 'only the owner, and admins without a team, may: they set the bounds themselves';
const GATE = `it names no commit but the work of the task, whose gate has the level of the task; ${AT_ITS_START}`;

export const STARTS_NOTHING: Partial<Record<OperationName, string>> = {
  'report.submit': NO_AGENT,
  'inbox.read': NO_AGENT,
  'question.ask': NO_AGENT,
  'task.comment': NO_AGENT,
  'task.cancel': NO_AGENT,
  'task.delete': NO_AGENT,
  'task.cleanup': NO_AGENT,
  'task.push': NO_AGENT,
  'task.restore': 'it makes a branch of what was kept, and nobody works there',
  'run.cancel': NO_AGENT,
  'workspace.prune': NO_AGENT,
  'workspace.delete': NO_AGENT,
  'project.remove': NO_AGENT,
  'project.add': 'what a project runs and what bounds it is set by an admin without a team alone; it makes no task',
  'project.set': `what a project runs and what bounds it is set by an admin without a team alone; ${AT_ITS_START}`,
  'task.unclaim': AT_ITS_START,
  'pause.lift': AT_ITS_START,
  'task.approve': GATE,
  'task.merge': GATE,
  'task.verify': GATE,
  'task.commit': GATE,
  'token.link': 'it signs in whoever asks, with the role, the team and the bounds of that token',
  'token.revoke': NO_AGENT,
  'config.set': OWNER,
  'home.init': OWNER,
  'db.migrate': OWNER,
  'db.backup': OWNER,
  'db.restore': OWNER,
  'db.accept': OWNER,
  'db.prune': OWNER,
  'db.export': OWNER,
};
