import type { OutputOf } from '../../../../contract/call.ts';
import { LinkId, TokenId } from '../../../../domain/values.ts';

const token: OutputOf<'token.list'>['items'][number] = {
  id: TokenId.parse('token_01jz0000000000000008xq4n1r'),
  seq: 1,
  name: 'ada',
  role: 'worker',
  team: 'web',
  createdBy: 'you',
  createdAt: '2030-01-31T12:00:00.000Z',
  expiresAt: '2030-05-01T12:00:00.000Z',
};

export const tokenSamples: { readonly [Name in 'token.create' | 'token.link' | 'token.list' | 'token.revoke']: OutputOf<Name> } =
  {
    'token.create': { ...token, token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' },
    'token.link': {
      id: LinkId.parse('link_01jz0000000000000008xq4n1r'),
      name: 'you',
      role: 'admin',
      expiresAt: '2030-01-31T12:05:00.000Z',
      code: '01jz0000000000000008xq4n1r.c2lnbmF0dXJl',
    },
    'token.list': { items: [token, { ...token, name: 'box', role: 'host', host: 'box', revokedAt: '2030-02-01T12:00:00.000Z' }] },
    'token.revoke': { ...token, revokedAt: '2030-02-01T12:00:00.000Z' },
  };
