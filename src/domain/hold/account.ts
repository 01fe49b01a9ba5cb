/* A file without schemas: every command of the CLI loads it. */

/** The account used unless a task names another. */
export const DEFAULT_ACCOUNT = 'default';

/** One account at the provider of one executor: what a provider refuses or limits. */
export interface AccountRef {
  readonly executor: string;
  readonly account?: string | undefined;
}

export function accountRefOf(ref: string): Required<AccountRef> & { readonly account: string } {
  const [executor = '', account = DEFAULT_ACCOUNT] = ref.split('/');
  return { executor, account };
}

export const executorRefOf = ({ executor, account = DEFAULT_ACCOUNT }: AccountRef): string =>
  account === DEFAULT_ACCOUNT ? executor : `${executor}/${account}`;
