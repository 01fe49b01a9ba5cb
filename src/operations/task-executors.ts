import { Fault } from '../domain/fault.ts';
import { DEFAULT_ACCOUNT, lenderOf } from '../domain/hold/account.ts';
import type { Scope } from './scope.ts';

/** Every executor that was asked for is known, and so is its account. */
export async function assertExecutors(asked: readonly string[], { executors }: Pick<Scope, 'executors'>): Promise<void> {
  if (asked.length === 0) return;
  const known = await executors.names();
  const unknown = asked.find((ref) => !known.includes(lenderOf(ref).executor));
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
