import type { ExecutorView } from '../../contract/executor.ts';
import type { Executor } from '../../domain/agent/executor.ts';
import { Fault } from '../../domain/fault.ts';
import { systemClock } from '../../platform/clock.ts';
import { openSimulator, type Simulator } from '../../simulate/simulator.ts';
import { writeJson } from '../../surfaces/cli/answer.ts';
import type { CliProgram, Io } from '../../surfaces/cli/deps.ts';
import { EXIT_CODES } from '../../surfaces/cli/exit-codes.ts';
import { programWords } from '../../surfaces/cli/parse/program-words.ts';
import { type Check, checkLine, tallyLine, tallyOf } from '../../surfaces/cli/views/executor/test.ts';
import { viewStyleOf } from '../../surfaces/cli/views/style.ts';
import { withServices } from '../background.ts';
import type { AddedExecutor } from '../custom-executors.ts';
import { lawChecks } from './laws.ts';
import { liveChecks } from './live.ts';
import { scenarios } from './prompts.ts';
import { inTrial } from './trial.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const longestMs = 300_000;

/** `fleet executor test NAME`: the laws of the family, and then the program itself. Exit code 1 when a check failed. */
export const executorTest: CliProgram['run'] = async (args, given) => {
  const { json, io, places, switches } = programWords('executor test', args, given, { switches: ['spend'], places: 1 });
  const [name] = places;
  if (name === undefined) throw new Fault('invalid', 'which executor?', { hint: 'fleet executor list shows them' });
  const subject = await subjectOf(io, name);
  const look = viewStyleOf({ ...io, input: {} });
  const checks: Check[] = [];
  await tryAll(subject, io, {
    maySpend: switches.has('spend'),
    tell: async (check) => {
      checks.push(check);
      if (!json) await io.out(checkLine(check, look));
    },
  });
  const tally = tallyOf(checks);
  if (json) await writeJson(io, { executor: name, checks, ...tally });
  else await io.out(`\n${tallyLine(tally, look)}`);
  return tally.failed === 0 ? EXIT_CODES.ok : FAILED;
};

const FAILED = 1;

interface Subject {
  readonly view: ExecutorView;
  readonly executor: Executor | undefined;
  readonly added: AddedExecutor | undefined;
}

async function subjectOf(io: Io, name: string): Promise<Subject> {
  return withServices(io, async ({ call, executors }) => {
    const view = await call('executor.show', { executor: name });
    const added = (await executors.added.look(name)).find(({ executor }) => executor !== undefined);
    return { view, added, executor: await executors.named(name) };
  });
}

interface Wish {
  readonly maySpend: boolean;
  /** Each is told as soon as it is known: the next may take minutes. */
  tell(check: Check): Promise<void>;
}

async function tryAll({ view, executor, added }: Subject, io: Io, { maySpend, tell }: Wish): Promise<void> {
  if (!executor || (view.state === 'broken' && view.file !== undefined)) {
    await tell({ name: 'is usable', result: 'failed', why: `${view.problem ?? 'it cannot be loaded'}; ${view.repair ?? ''}` });
    return;
  }
  for await (const check of lawChecks(executor, added)) await tell(check);
  const how = howToRun(view, maySpend);
  if ('not' in how) await tell({ name: 'runs its program', result: 'skipped', why: how.not });
  else if (how.model === 'own') await tryLive(executor, io, tell);
  else {
    await using simulator = await openSimulator({ clock: systemClock, scenarios: scenarios() });
    await tryLive(executor, io, tell, simulator);
  }
}

type How = { readonly model: 'own' | 'simulated' } | { readonly not: string };

/** Agents that can be led to a simulated model spend nothing with it. Whether any other program does nobody can tell from here. */
function howToRun({ name, state, problem, repair, program, origin }: ExecutorView, maySpend: boolean): How {
  const isSimulated = origin === 'built_in' && program !== undefined && !maySpend;
  if (state !== 'ready' && !(isSimulated && state === 'signed_out'))
    return { not: `${problem ?? state}${repair === undefined ? '' : `: ${repair}`}` };
  if (isSimulated) return { model: 'simulated' };
  if (program === undefined || maySpend) return { model: 'own' };
  const cost = `a run of ${program.command} may cost tokens`;
  return { not: `${cost}: fleet executor test ${name} --spend runs it four times, with one short command each` };
}

async function tryLive(executor: Executor, io: Io, tell: Wish['tell'], simulator?: Simulator): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    await inTrial({ io, executor: executor.name, simulator, longestMs, signal: stopping.signal }, async (trial) => {
      try {
        for await (const check of liveChecks(trial, executor)) await tell(check);
      } finally {
        await trial.leave();
      }
      const left = await trial.left();
      const name = 'leaves nothing behind';
      await tell(left.length === 0 ? { name, result: 'passed' } : { name, result: 'failed', why: left.join(', ') });
    });
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  }
}
