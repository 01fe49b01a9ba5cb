/** The account of a provider that is used unless another is named. */
export const DEFAULT_ACCOUNT = 'default';

/** Whose work a provider may refuse: one account, through one executor. */
export interface Lender {
  readonly executor: string;
  readonly account?: string | undefined;
}
