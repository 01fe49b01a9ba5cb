import type { Abilities, Interactive } from '../../domain/agent/executor.ts';
import type { Executor, Job } from '../executor.ts';
import { JOBS, plainJob } from './jobs.ts';
import { type ExecutorLaw, must, same, short } from './law.ts';
import { throughJson, withoutAmbient } from './without-ambient.ts';

const providerKey = /(?:_API_KEY|_TOKEN|_SECRET|_PASSWORD|_ACCESS_KEY(?:_ID)?|_CREDENTIALS)$/i;

const ABILITIES: Readonly<Record<keyof Abilities, true>> = {
  resume: true,
  fork: true,
  steer: true,
  ask: true,
  usage: true,
  context: true,
  mcp: true,
  tools: true,
};
const FUNCTIONS = ['launch', 'begin', 'step', 'say', 'answer', 'exit'] as const satisfies readonly (keyof Executor)[];

/** The laws about launching. */
export const launchLaws = (executor: Executor): readonly ExecutorLaw[] => [
  { title: 'has a name, a full table of what it can do, and all its functions', check: () => wholeContract(executor) },
  {
    title: 'launches the same way each time, from the job alone, as plain values',
    check: () => {
      for (const job of JOBS) plainLaunch(executor, job);
    },
  },
  {
    title: "hands over no provider's key",
    check: () => {
      const names = JOBS.flatMap((job) => Object.keys(executor.launch(job).env));
      const keys = names.filter((name) => providerKey.test(name));
      same(keys, [], 'variables that sign in to a provider are set by launch');
    },
  },
  {
    title: 'opens a conversation for a person from the job alone, as plain values, if it can at all',
    check: () => {
      for (const job of JOBS) for (const hasPlaceSettings of [false, true]) plainOpening(executor, job, hasPlaceSettings);
    },
  },
  {
    title: 'goes on with a conversation only if it can',
    check: () => {
      const going = { ...plainJob, resume: 'session-1' };
      if (executor.can.resume)
        must(told(executor, going).includes('session-1'), 'can.resume is true, and the session reaches nobody');
      else same(executor.launch(going), executor.launch(plainJob), 'can.resume is false, and a session changes the launch');
    },
  },
  { title: 'tells a copy of a conversation from the conversation itself', check: () => copies(executor) },
  {
    title: 'opens a conversation only with an agent that reads',
    check: () => {
      for (const job of JOBS)
        if (executor.launch(job).mode === 'oneway')
          same(executor.begin(job).send, [], 'lines are sent to an agent that is one-way');
    },
  },
];

function wholeContract(executor: Executor): void {
  must(typeof executor.name === 'string' && executor.name !== '', `name is ${short(executor.name)}, expected a text`);
  const wrong = Object.keys(ABILITIES).filter((name) => typeof executor.can?.[name as keyof Abilities] !== 'boolean');
  same(wrong, [], 'can says neither true nor false about');
  same(
    Object.keys(executor.can).filter((name) => !Object.hasOwn(ABILITIES, name)),
    [],
    'can has words that Fleet does not know',
  );
  same(
    FUNCTIONS.filter((name) => typeof executor[name] !== 'function'),
    [],
    'functions are missing',
  );
}

function plainLaunch(executor: Executor, job: Job): void {
  const launch = plainStart(() => executor.launch(job));
  must(launch.mode === 'oneway' || launch.mode === 'twoway', `mode is ${short(launch.mode)}, expected "oneway" or "twoway"`);
}

function plainOpening(executor: Executor, job: Job, hasPlaceSettings: boolean): void {
  const { interactive } = executor;
  if (!interactive) return;
  must(executor.can.resume, 'can.resume is false, and its conversations are opened for people');
  const start = plainStart(() => interactive(job, { session: 'session-1', hasPlaceSettings }));
  must(start.args.includes('session-1'), 'the session of the conversation is not among the arguments');
  const keys = Object.keys(start.env).filter((name) => providerKey.test(name));
  same(keys, [], 'variables that sign in to a provider are set');
}

function plainStart<Start extends Interactive>(make: () => Start): Start {
  const launch = withoutAmbient(make);
  same(withoutAmbient(make), launch, 'a second launch of the same job differs');
  same(throughJson(launch), launch, 'a launch is not plain JSON');
  must(typeof launch.command === 'string' && launch.command !== '', `command is ${short(launch.command)}, expected a program`);
  const words = [launch.command, ...launch.args, ...Object.values(launch.env)];
  same(
    words.filter((word) => typeof word !== 'string' || word.includes('\0')),
    [],
    'words that are no texts, or hold a zero byte',
  );
  same(
    launch.files.filter(({ name, text }) => !/^[\w-][\w.-]*$/.test(name) || typeof text !== 'string'),
    [],
    'files that have no plain name, or no text',
  );
  return launch;
}

function copies(executor: Executor): void {
  const [going, copying] = [false, true].map((fork) => told(executor, { ...plainJob, resume: 'session-1', fork }));
  if (executor.can.resume) must(going !== copying, 'a copy of a conversation is launched like the conversation itself');
  else must(going === copying, 'can.resume is false, and fork changes the launch');
  must(
    told(executor, { ...plainJob, fork: true }) === told(executor, plainJob),
    'fork changes something although there is no conversation',
  );
}

const told = (executor: Executor, job: Job): string => JSON.stringify([executor.launch(job), executor.begin(job)]);
