/* Without the schema library: every command of the CLI has this. */

/** The account of a provider that is used unless another is named. */
export const DEFAULT_ACCOUNT = 'default';

/** Whose work a provider may refuse: one account, through one executor. */
export interface Lender {
  readonly executor: string;
  readonly account?: string | undefined;
}

export function lenderOf(ref: string): Required<Lender> & { readonly account: string } {
  const [executor = '', account = DEFAULT_ACCOUNT] = ref.split('/');
  return { executor, account };
}

export const refOf = ({ executor, account = DEFAULT_ACCOUNT }: Lender): string =>
  account === DEFAULT_ACCOUNT ? executor : `${executor}/${account}`;
