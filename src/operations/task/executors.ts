import { type Caller, isUnbounded } from '../../domain/authority.ts';
import { ANY_PROGRAM_EXECUTOR, SCRIPTED_EXECUTOR, SCRIPTED_IS_OFF } from '../../domain/executors.ts';
import { Fault } from '../../domain/fault.ts';
import { accountRefOf, DEFAULT_ACCOUNT } from '../../domain/hold/account.ts';
import type { Scope } from '../scope.ts';

/** Every executor that was asked for is known, and so is its account. */
export async function assertExecutors(
  asked: readonly string[],
  { executors, caller }: Pick<Scope, 'executors' | 'caller'>,
): Promise<void> {
  if (asked.length === 0) return;
  // A run keeps to the program of its task: its arguments are not its to choose.
  if (!caller.run && asked.some(isAnyProgram)) assertMayName(caller);
  const known = await executors.names();
  const unknown = asked.find((ref) => !known.includes(accountRefOf(ref).executor));
  if (unknown !== undefined && accountRefOf(unknown).executor === SCRIPTED_EXECUTOR)
    throw new Fault('invalid', `executor ${SCRIPTED_EXECUTOR} ${SCRIPTED_IS_OFF.why}`, {
      executor: unknown,
      hint: `the owner of the fleet switches it on: ${SCRIPTED_IS_OFF.repair}`,
    });
  if (unknown !== undefined)
    throw new Fault('invalid', `no executor ${JSON.stringify(unknown)}: known are ${known.join(', ')}`, { executor: unknown });
  for (const { executor, account } of asked.map(accountRefOf)) {
    const accounts = account === DEFAULT_ACCOUNT ? [account] : await executors.accounts(executor);
    if (!accounts.includes(account))
      throw new Fault('invalid', `${executor} has no account ${JSON.stringify(account)}: known are ${accounts.join(', ')}`, {
        hint: `describe it in the file accounts/${executor}/${account}.toml of the home`,
      });
  }
}

/**
 * An argument may name hooks, settings, tool servers, directories or a program, and what it means changes with every version of
 * an agent: no list of harmful ones would be whole. Those of a run are compared with the ones of its task.
 */
export function assertArguments(args: readonly string[] | undefined, { caller }: Pick<Scope, 'caller'>): void {
  if (!args || args.length === 0 || caller.run || isUnbounded(caller)) return;
  throw new Fault('forbidden', `${whoIs(caller)}: only the owner of the fleet gives arguments to the program of an agent`, {
    hint: 'the owner can describe that program with these arguments as an executor: a file in executors/ of the home',
  });
}

const isAnyProgram = (ref: string): boolean => accountRefOf(ref).executor === ANY_PROGRAM_EXECUTOR;

function assertMayName(caller: Caller): void {
  if (isUnbounded(caller)) return;
  throw new Fault(
    'forbidden',
    `${whoIs(caller)}: only the owner of the fleet has ${ANY_PROGRAM_EXECUTOR} start a program that a task names`,
    {
      hint: 'the owner can describe that program as an executor of its own: a file in executors/ of the home',
    },
  );
}

const whoIs = ({ name, role, team }: Caller): string => `${name} is ${role}${team === undefined ? '' : ` of team ${team}`}`;
