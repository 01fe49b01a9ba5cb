import { SignInLink } from '../../domain/token/link.ts';
import { Token } from '../../domain/token/token.ts';
import { records } from './record.ts';

export const tokenIndex = { all: 'token.all' } as const;

export const tokens = records<Token>({
  kind: 'token',
  schema: Token,
  idOf: ({ id }) => id,
  entriesOf: ({ id }) => [{ index: tokenIndex.all, sort: id }],
});

export const links = records<SignInLink>({ kind: 'link', schema: SignInLink, idOf: ({ id }) => id, entriesOf: () => [] });
