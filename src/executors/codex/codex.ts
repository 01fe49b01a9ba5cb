import type { Executor } from '../executor.ts';
import { interactiveOf, launchOf } from './launch.ts';
import { codexProgram } from './program.ts';
import { answerRequest } from './requests.ts';
import { notification, request } from './rpc.ts';
import { firstState, isState } from './state.ts';
import { stepOf } from './step.ts';
import { openThread, startTurn } from './threads.ts';

/** Not wanted: this notification repeats the whole diff in one line after each change of a file. */
const OPTED_OUT = ['turn/diff/updated'];

const HELLO = {
  clientInfo: { name: 'fleet', title: 'Fleet', version: '1' },
  capabilities: { experimentalApi: false, requestAttestation: false, optOutNotificationMethods: OPTED_OUT },
};

/** OpenAI's Codex by `codex app-server`. Fleet is the client; one run is one thread with turns one after the other. */
export const codex = ({ command }: { readonly command: string }): Executor => ({
  name: 'codex',
  can: { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: true },
  program: codexProgram,

  launch: (job) => launchOf(command, job),
  interactive: (job, conversation) => interactiveOf(command, job, conversation),

  begin: (job) => {
    const hello = request(`${job.runId}.1`, 'initialize', HELLO);
    const first = { ...firstState(job), sent: 1 };
    const continuing = job.fork ? 'thread/fork' : 'thread/resume';
    const opening = openThread(first, job.resume === undefined ? 'thread/start' : continuing, job.resume);
    return { ...opening, send: [hello, notification('initialized'), ...opening.send] };
  },

  step: stepOf,

  say: (state, { n, text }) =>
    isState(state) && state.thread !== undefined && !state.ended ? startTurn(state, { text, n }) : undefined,

  answer: (state, request, text) => (isState(state) ? answerRequest(state, request, text) : undefined),

  exit: () => [],
});
