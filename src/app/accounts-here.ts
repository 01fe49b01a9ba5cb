import { join } from 'node:path';
import type { Program } from '../domain/agent/executor.ts';
import { DEFAULT_ACCOUNT } from '../domain/hold/account.ts';
import type { ExecutorHere } from '../operations/scope.ts';
import { accountsOf, accountVariables } from './accounts.ts';
import { named } from './environment.ts';
import type { HomePaths } from './home.ts';
import { signedIn } from './signed-in.ts';

type Env = Readonly<Record<string, string | undefined>>;
type AccountHere = NonNullable<ExecutorHere['accounts']>[number];

/** The accounts of one executor that are described in files, and whether its program is signed in on each. */
export const accountsHere = (executor: string, program: Program, env: Env, paths: HomePaths): Promise<AccountHere[]> =>
  Promise.all(
    accountsOf(paths, executor)
      .filter((name) => name !== DEFAULT_ACCOUNT)
      .map((name) => accountHere({ executor, account: name }, program, env, paths)),
  );

async function accountHere(
  lender: { readonly executor: string; readonly account: string },
  program: Program,
  env: Env,
  paths: HomePaths,
): Promise<AccountHere> {
  const name = lender.account;
  try {
    const own = accountVariables(paths, lender, env);
    const isOwn = named(program.variables);
    // A key of the user's own is not given to a run on another account.
    const others = Object.fromEntries(Object.entries(env).filter(([variable]) => !isOwn(variable)));
    const signed = await signedIn(program, { ...others, ...own });
    if (signed.signedIn !== 'no') return { name, ...signed };
    const { moved, login } = program;
    const place = moved && own[moved.variable];
    const repair = place === undefined ? login : `${moved?.variable}=${quoted(place)} ${login}`;
    return { name, ...signed, problem: 'it is not signed in', ...(login === '' ? {} : { repair }) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { name, signedIn: 'unknown', problem, repair: `edit ${join(paths.accounts, lender.executor, `${name}.toml`)}` };
  }
}

const quoted = (text: string): string => (/^[\w/.~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
