import { type Caller, isUnbounded } from '../domain/authority.ts';
import { ANY_PROGRAM, SCRIPTED, SWITCHED_OFF } from '../domain/executors.ts';
import { Fault } from '../domain/fault.ts';
import { DEFAULT_ACCOUNT, lenderOf } from '../domain/hold/account.ts';
import type { Project } from '../domain/project/project.ts';
import type { Scope } from './scope.ts';

/** Every executor that was asked for is known, and so is its account. */
export async function assertExecutors(
  asked: readonly string[],
  { executors, caller }: Pick<Scope, 'executors' | 'caller'>,
): Promise<void> {
  if (asked.length === 0) return;
  // A run keeps to the program of its task: its arguments are not its to choose.
  if (!caller.run && asked.some(isAnyProgram)) assertMayName(caller);
  const known = await executors.names();
  const unknown = asked.find((ref) => !known.includes(lenderOf(ref).executor));
  if (unknown !== undefined && lenderOf(unknown).executor === SCRIPTED)
    throw new Fault('invalid', `executor ${SCRIPTED} ${SWITCHED_OFF.why}`, {
      executor: unknown,
      hint: `the owner of the fleet switches it on: ${SWITCHED_OFF.repair}`,
    });
  if (unknown !== undefined)
    throw new Fault('invalid', `no executor ${JSON.stringify(unknown)}: known are ${known.join(', ')}`, { executor: unknown });
  for (const { executor, account } of asked.map(lenderOf)) {
    const accounts = account === DEFAULT_ACCOUNT ? [account] : await executors.accounts(executor);
    if (!accounts.includes(account))
      throw new Fault('invalid', `${executor} has no account ${JSON.stringify(account)}: known are ${accounts.join(', ')}`, {
        hint: `describe it in the file accounts/${executor}/${account}.toml of the home`,
      });
  }
}

/** Arguments for the default executor are its program, where that starts whatever they name. */
export async function assertArguments(
  args: readonly string[] | undefined,
  { executors, project }: { readonly executors: readonly string[]; readonly project?: Project | undefined },
  { caller, dispatching }: Pick<Scope, 'caller' | 'dispatching'>,
): Promise<void> {
  if (!args || args.length === 0 || caller.run || isUnbounded(caller)) return;
  const refs = executors.length > 0 ? executors : [(await dispatching.defaults(project?.id, project)).executor];
  if (refs.some(isAnyProgram)) assertMayName(caller);
}

const isAnyProgram = (ref: string): boolean => lenderOf(ref).executor === ANY_PROGRAM;

function assertMayName(caller: Caller): void {
  if (isUnbounded(caller)) return;
  const whose = caller.team === undefined ? caller.role : `${caller.role} of team ${caller.team}`;
  throw new Fault(
    'forbidden',
    `${caller.name} is ${whose}: only the owner of the fleet has ${ANY_PROGRAM} start a program that a task names`,
    {
      hint: 'the owner can describe that program as an executor of its own: a file in executors/ of the home',
    },
  );
}
