import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { Fault } from '../domain/fault.ts';
import { type AccountRef, DEFAULT_ACCOUNT } from '../domain/hold/account.ts';
import { Name } from '../domain/values.ts';
import { hasCode } from '../platform/files.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

const SUFFIX = '.toml';
const VARIABLE = /^(?!FLEET_)[A-Za-z_]\w*$/;
const Account = z.strictObject({
  env: z.record(z.string(), z.string()).refine((env) => Object.keys(env).every((name) => VARIABLE.test(name)), {
    error: ({ input }) =>
      `${Object.keys(input as object).find((name) => !VARIABLE.test(name))} is not a variable that may be set here`,
  }),
});
/** A whole value that stands for a variable of Fleet's own environment, so that no key has to lie in a file. */
const REFERENCE = /^\$\{?([A-Za-z_]\w*)\}?$/;

/** Accounts of an executor: the user's own, and those described in files. */
export const accountsOf = ({ accounts }: Pick<HomePaths, 'accounts'>, executor: string): readonly string[] => [
  DEFAULT_ACCOUNT,
  ...namesIn(join(accounts, executor)).filter((name) => name !== DEFAULT_ACCOUNT && Name.safeParse(name).success),
];

/** What a program is given so that it works on this account. The default one is whatever it finds by itself. */
export function accountVariables(
  { accounts }: Pick<HomePaths, 'accounts'>,
  { executor, account = DEFAULT_ACCOUNT }: AccountRef,
  env: Env,
): Readonly<Record<string, string>> {
  if (account === DEFAULT_ACCOUNT) return {};
  const file = join(accounts, executor, `${account}${SUFFIX}`);
  const { env: described } = read(file);
  return Object.fromEntries(Object.entries(described).map(([name, value]) => [name, meant(value, env, { name, file })]));
}

function meant(value: string, env: Env, { name, file }: { name: string; file: string }): string {
  const reference = REFERENCE.exec(value)?.[1];
  if (reference === undefined) return value.startsWith('~/') ? join(env['HOME'] ?? '/', value.slice(2)) : value;
  const found = env[reference];
  if (found === undefined || found === '')
    throw new Fault('invalid', `${file}: ${name} is to be ${value}, and Fleet was started without ${reference}`);
  return found;
}

function read(file: string): z.output<typeof Account> {
  const result = Account.safeParse(parsed(file));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Fault('invalid', `${file}: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, {
    hint: 'expected one table [env] of variables, such as CLAUDE_CONFIG_DIR = "~/.claude-work"',
  });
}

function parsed(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = hasCode(error, 'ENOENT')
      ? 'there is no such file'
      : error instanceof Error
        ? error.message.split('\n', 1)[0]
        : '';
    throw new Fault('invalid', `the account of ${file} cannot be used: ${why}`, {}, { cause: error });
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length))
      .toSorted();
  } catch {
    return [];
  }
}
