import type { z } from 'zod';
import type { Call } from '../../../contract/call.ts';
import type { OperationName } from '../../../contract/index.ts';
import { operationOf, type Tool } from '../tool.ts';
import { cut } from '../words.ts';

const TEXT = 8_000;

interface Plain {
  readonly title: string;
  /** What the summary of the operation does not say. */
  readonly more?: string;
  readonly destroys?: true;
  readonly repeats?: true;
}

/** Operations that read well as they are: the owner of a fleet asks for them now and then. */
const PLAIN = {
  'config.show': { title: 'Show settings' },
  'config.set': { title: 'Change settings', repeats: true },
  'executor.list': { title: 'List executors' },
  'project.set': { title: 'Change a project', repeats: true },
  'project.remove': { title: 'Forget a project', destroys: true },
  'task.delete': { title: 'Delete a task', more: 'Its history goes with it: only when the user asks for it.', destroys: true },
  'task.cleanup': { title: 'Take a workspace back' },
  'task.restore': { title: 'Restore kept work' },
  'workspace.list': { title: 'List workspaces' },
  'workspace.prune': { title: 'Remove workspaces nobody needs', more: 'Ask with dryRun first.', destroys: true, repeats: true },
  'run.list': { title: 'List runs' },
  'run.cancel': { title: 'End a run', destroys: true },
  'task.cost': { title: 'What a task has taken' },
  'fleet.cost': { title: 'What the fleet has taken' },
  'pause.lift': { title: 'End the pause of an account', more: 'Only when the user says that the provider works again.' },
  'token.create': { title: 'Make a token', more: 'The answer holds a secret: give it to the user and nobody else.' },
  'token.list': { title: 'List tokens' },
  'token.revoke': { title: 'Revoke a token', destroys: true, repeats: true },
  'db.check': { title: 'Check the database' },
  'db.backup': { title: 'Back the database up' },
  'db.prune': { title: 'Prune the database', more: 'Ask with dryRun first.', destroys: true, repeats: true },
  'fleet.blame': { title: 'Who wrote a line' },
} as const satisfies Partial<Record<OperationName, Plain>>;

function plain(name: keyof typeof PLAIN): Tool {
  const operation = operationOf(name);
  const { title, more, destroys, repeats }: Plain = PLAIN[name];
  return {
    name: name.replace('.', '_'),
    title,
    about: `${operation.summary}${more === undefined ? '' : ` ${more}`}`,
    input: operation.input,
    output: operation.output as z.ZodObject,
    calls: [name],
    ...(destroys ? { destroys } : {}),
    ...(repeats ? { repeats } : {}),
    run: async (input, { call }) => {
      const data: unknown = await (call as (...of: [string, unknown]) => ReturnType<Call>)(name, input);
      return { text: cut(JSON.stringify(data, undefined, 1), TEXT), data };
    },
  };
}

export const adminTools: readonly Tool[] = (Object.keys(PLAIN) as (keyof typeof PLAIN)[]).map(plain);
